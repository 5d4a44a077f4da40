/** Errors of connecting the folders of agents. */
import { exitCode } from './exit-code.ts';
import { conflict, invalid, localFailure, notFound, warning, withStatus } from './row.ts';

export const agentFolderErrors = {
  FOLDER_ABSENT: notFound(
    'there is no folder {{folder}}',
    'create it, or name the folder in which the agent is started',
  ),
  FOLDERS_NOT_APART: invalid(
    'the folders of the test agent and of the product agent {{problem}}: {{one}} and {{other}}',
    'give each agent a folder of its own, neither inside the other; links count as what they lead to',
  ),
  FOLDER_FILE_BROKEN: invalid(
    '{{file}} is not valid JSON: {{problem}} in line {{line}}, column {{column}}',
    'correct it there; nothing was changed',
  ),
  FOLDER_FILE_SHAPE: invalid('{{file}}: {{member}} must be {{expected}}', 'correct it; nothing was changed'),
  FOLDER_FILE_UNREADABLE: localFailure(
    '{{file}} cannot be read ({{reason}})',
    'let this user read it; nothing was changed',
  ),
  FOLDER_FILE_UNWRITABLE: localFailure(
    '{{file}} cannot be written ({{reason}})',
    'let this user write into its folder, then try again; the file is as it was',
  ),
  FOLDER_FILE_BUSY: withStatus(409, exitCode.broken)(
    'another program keeps changing {{file}}',
    'stop the agent of that folder, then try again; the changes of the other program are kept',
  ),
  FOLDER_ENTRY_FOREIGN: conflict(
    '{{file}} has a server {{name}} that does not lead to a router',
    'rename that server, or remove it, then try again; nothing was changed',
  ),
  FOLDER_TOKEN_TRACKED: conflict(
    'git tracks {{file}}, so the token of the agent would end up in the repository',
    'run `{{untrack}}` and commit that, so that the file itself stays; then try again. A token in it that was ever pushed must be replaced (`vp agent-token rotate --help`)',
  ),
  FOLDER_TOKEN_READABLE: warning(
    'others on this machine may read {{file}}, which holds the token of the agent',
    'run `chmod 600 {{file}}`',
  ),
  FOLDER_NOT_CONNECTED: notFound(
    '{{folder}} is not connected to the instance {{instance}}',
    'connect it with `vp connect --instance {{instance}}`; for a folder that was moved, use its new path',
  ),
} as const;
