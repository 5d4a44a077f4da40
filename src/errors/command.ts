/** Errors of the command line: commands, their words and flags. `{{command}}` is `vp` or `vp <command>`. */
import { exitCode } from './exit-code.ts';
import { answering, broken, invalid } from './row.ts';

/** Area: commands. */
export const commandErrors = {
  COMMAND_UNKNOWN: invalid('there is no command `{{command}}`', '{{hint}}see `{{parent}} --help` for what there is'),
  COMMAND_INCOMPLETE: invalid('`{{command}}` needs one more word', 'write `{{command}}` and one of: {{choices}}'),
  COMMAND_WORD_MISSING: invalid('`{{command}}` needs {{word}}', 'see `{{command}} --help` for an example'),
  COMMAND_WORD_UNEXPECTED: invalid(
    '`{{command}}` does not know what to do with `{{word}}`',
    'see `{{command}} --help` for what it takes',
  ),
  COMMAND_OUTPUT_UNWRITABLE: broken(
    'standard output cannot be written: {{reason}}',
    'make room there or write elsewhere; what was done is done, and files asked for by flags are written',
  ),
  DEMO_FOLDER_UNWRITABLE: broken(
    'no folder can be made in {{folder}}',
    'set TMPDIR to a folder where this user may write; in a container, give it one with `--tmpfs /tmp`',
  ),
  FLAG_UNKNOWN: invalid('`{{command}}` has no flag {{flag}}', '{{hint}}see `{{command}} --help` for all flags'),
  FLAG_VALUE_MISSING: invalid('{{flag}} needs a value', 'write {{flag}} {{placeholder}}'),
  FLAG_INVALID: invalid('{{flag}} {{problem}}', 'see `{{command}} --help` for what it takes'),
  FLAG_NEEDS_ANOTHER: invalid('{{flag}} goes with {{other}} only', 'add {{other}}, or leave out {{flag}}'),
  FLAG_CONTRADICTED: invalid('{{flag}} does not go with {{other}}', 'leave out one of the two'),
  SERVE_INSECURE: invalid(
    'keys and reports would cross the network in the clear at {{address}}',
    'put a TLS proxy in front and name it with --public-url https://…, or accept it with --allow-insecure',
  ),
  EXECUTOR_EXPOSED: invalid(
    'the key of direct runs and their reports would cross the network in the clear at {{address}}',
    'leave --host out: runs of the control plane need no listener; --allow-insecure is meant for a container network, where only its containers reach this',
  ),
  EXECUTOR_KEY_ABSENT: invalid(
    'there is no executor key in {{looked}}',
    'make one with `vp instances create <id>` (or `vp instances rotate-key <id>`) and hand it over with --key-file or VP_EXECUTOR_KEY',
  ),
  EXECUTOR_ENDED_SUPERSEDED: answering(409, exitCode.broken)(
    'another executor of this instance was started and took over, so this one ended',
    'run only one executor for an instance; register another instance with `vp instances create`',
  ),
} as const;
