/** Errors of the command line: commands, their arguments, flags, files and questions. `{{command}}` is `vp` or `vp <command>`. */
import { exitCode } from './exit-code.ts';
import { invalid, localFailure, notFound, withStatus } from './row.ts';

export const commandErrors = {
  COMMAND_UNKNOWN: invalid('there is no command `{{command}}`', '{{hint}}see `{{parent}} --help` for the commands'),
  COMMAND_INCOMPLETE: invalid(
    '`{{command}}` needs a subcommand',
    'write `{{command}}` followed by one of: {{choices}}',
  ),
  COMMAND_WORD_MISSING: invalid('`{{command}}` needs {{word}}', 'see `{{command}} --help` for an example'),
  COMMAND_WORD_EMPTY: invalid(
    '{{word}} of `{{command}}` is empty',
    'check the variable that the line takes it from, or leave the argument out',
  ),
  COMMAND_WORD_UNEXPECTED: invalid(
    '`{{command}}` does not take the argument `{{word}}`',
    'see `{{command}} --help` for what it takes',
  ),
  COMMAND_OUTPUT_UNWRITABLE: localFailure(
    'standard output cannot be written: {{reason}}',
    'free space there or write elsewhere; the command itself was carried out, and files requested by flags were written',
  ),
  DEMO_FOLDER_UNWRITABLE: localFailure(
    'no folder can be created in {{folder}}',
    'set TMPDIR to a folder where this user may write; in a container, give it one with `--tmpfs /tmp`',
  ),
  FLAG_UNKNOWN: invalid('`{{command}}` has no flag {{flag}}', '{{hint}}see `{{command}} --help` for all flags'),
  FLAG_VALUE_MISSING: invalid('{{flag}} needs a value', 'write {{flag}} {{placeholder}}'),
  FLAG_INVALID: invalid('{{flag}} {{problem}}', 'see `{{command}} --help` for what it takes'),
  FLAG_NEEDS_ANOTHER: invalid('{{flag}} can be used only with {{other}}', 'add {{other}}, or omit {{flag}}'),
  ID_INVALID: invalid('`{{text}}` does not have the form of the id of {{what}}', 'see `{{list}}`'),
  FLAG_CONTRADICTED: invalid('{{flag}} cannot be combined with {{other}}', 'omit one of the two'),
  PREFERENCES_UNUSABLE: invalid(
    '{{file}}, which holds the control plane in use, cannot be used: {{problem}}',
    'choose again with `vp use <url>`, which replaces it, or remove it with `vp use --clear`',
  ),
  PREFERENCES_UNWRITABLE: localFailure(
    '{{file}} cannot be written ({{reason}})',
    'give this user write access to the folder, or set VP_CONTROL_PLANE and VP_INSTANCE instead',
  ),
  RUN_ID_INVALID: invalid(
    '{{run}} is not a run id',
    'copy one from `vp runs`, such as 20261120T143012345; a correlation id that begins with `tr-` works too, and a part of either',
  ),
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
  EXECUTOR_ENDED_REMOVED: withStatus(410, exitCode.broken)(
    'the instance of this executor was removed from the control plane, so the executor stopped',
    'nothing is left to do; if the removal was a mistake, register the instance again with `vp instances create <id>` or `vp onboard`',
  ),
  EXECUTOR_ENDED_SUPERSEDED: withStatus(409, exitCode.broken)(
    'another executor of this instance was started and took over, so this one stopped',
    'run only one executor for an instance; register another instance with `vp instances create <id>`',
  ),
  DOCUMENTATION_PAGE_UNKNOWN: notFound(
    'there is no documentation page {{page}}',
    '{{hint}}`vp docs` lists the pages: {{pages}}',
  ),
  SCENARIO_FOLDER_UNWRITABLE: localFailure(
    '{{file}} cannot be written ({{reason}})',
    'name a folder that this user may write',
  ),
  SCENARIO_ID_UNSAFE: invalid(
    'the catalogue has a scenario {{id}}, which is not a valid file name here',
    'give it another ID, then pull again',
  ),
  SCENARIO_DELETION_UNCONFIRMED: invalid(
    '{{scenarios}} not deleted: {{why}}',
    'run it in a terminal and answer y, or add --yes',
  ),
  INSTANCE_REMOVAL_UNCONFIRMED: invalid(
    'instance {{instance}} was not removed: {{why}}',
    'run it in a terminal and type the id, or add --yes',
  ),
} as const;
