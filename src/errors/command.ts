/** Errors of the command line: commands, their arguments and flags. `{{command}}` is `vp` or `vp <command>`. */
import { exitCode } from './exit-code.ts';
import { broken, invalid, withStatus } from './row.ts';

/** Area: commands. */
export const commandErrors = {
  COMMAND_UNKNOWN: invalid('there is no command `{{command}}`', '{{hint}}see `{{parent}} --help` for the commands'),
  COMMAND_INCOMPLETE: invalid(
    '`{{command}}` needs a subcommand',
    'write `{{command}}` followed by one of: {{choices}}',
  ),
  COMMAND_WORD_MISSING: invalid('`{{command}}` needs {{word}}', 'see `{{command}} --help` for an example'),
  COMMAND_WORD_UNEXPECTED: invalid(
    '`{{command}}` does not take the argument `{{word}}`',
    'see `{{command}} --help` for what it takes',
  ),
  COMMAND_OUTPUT_UNWRITABLE: broken(
    'standard output cannot be written: {{reason}}',
    'free space there or write elsewhere; the command itself was carried out, and files requested by flags were written',
  ),
  DEMO_FOLDER_UNWRITABLE: broken(
    'no folder can be created in {{folder}}',
    'set TMPDIR to a folder where this user may write; in a container, give it one with `--tmpfs /tmp`',
  ),
  FLAG_UNKNOWN: invalid('`{{command}}` has no flag {{flag}}', '{{hint}}see `{{command}} --help` for all flags'),
  FLAG_VALUE_MISSING: invalid('{{flag}} needs a value', 'write {{flag}} {{placeholder}}'),
  FLAG_INVALID: invalid('{{flag}} {{problem}}', 'see `{{command}} --help` for what it takes'),
  FLAG_NEEDS_ANOTHER: invalid('{{flag}} can be used only with {{other}}', 'add {{other}}, or omit {{flag}}'),
  FLAG_CONTRADICTED: invalid('{{flag}} cannot be combined with {{other}}', 'omit one of the two'),
  SERVE_INSECURE: invalid(
    'keys and reports would cross the network in the clear at {{address}}',
    'put a TLS proxy in front and name it with --public-url https://…, or accept it with --allow-insecure',
  ),
  EXECUTOR_EXPOSED: invalid(
    'the key of direct runs and their reports would cross the network in the clear at {{address}}',
    'omit --host: runs of the control plane need no listener; --allow-insecure is meant for a container network, where only its containers can reach this',
  ),
  EXECUTOR_KEY_ABSENT: invalid(
    'there is no executor key in {{source}}',
    'create one with `vp instances create <id>` (or `vp instances rotate-key <id>`) and pass it with --key-file or VP_EXECUTOR_KEY',
  ),
  EXECUTOR_ENDED_SUPERSEDED: withStatus(409, exitCode.broken)(
    'another executor of this instance was started and took over, so this one stopped',
    'run only one executor for an instance; register another instance with `vp instances create`',
  ),
} as const;
