/** Errors of connecting the folders of agents. */
import { exitCode } from './exit-code.ts';
import { answering, broken, conflict, invalid, missing, warning } from './row.ts';

/** Area: folders. */
export const folderErrors = {
  FOLDER_ABSENT: missing('there is no folder {{folder}}', 'make it, or name the folder in which the agent is started'),
  FOLDERS_NOT_APART: invalid(
    'the folders of the test agent and of the product agent {{problem}}: {{one}} and {{other}}',
    'give each agent a folder of its own, neither inside the other; links count as what they lead to',
  ),
  FOLDER_FILE_BROKEN: invalid(
    '{{file}} is no JSON: {{problem}} in line {{line}}, column {{column}}',
    'mend it there; nothing was changed',
  ),
  FOLDER_FILE_SHAPE: invalid('{{file}}: {{what}} is no {{wanted}}', 'mend it; nothing was changed'),
  FOLDER_FILE_UNREADABLE: broken('{{file}} cannot be read ({{reason}})', 'let this user read it; nothing was changed'),
  FOLDER_FILE_UNWRITABLE: broken(
    '{{file}} cannot be written ({{reason}})',
    'let this user write into its folder, then try again; the file is as it was',
  ),
  FOLDER_FILE_BUSY: answering(409, exitCode.broken)(
    'another program keeps changing {{file}}',
    'end the agent of that folder, then try again; what the other program wrote is kept',
  ),
  FOLDER_ENTRY_FOREIGN: conflict(
    '{{file}} has a server {{name}} that does not lead to a router',
    'rename that server, or take it out, then try again; nothing was changed',
  ),
  FOLDER_TOKEN_TRACKED: conflict(
    'git tracks {{file}}, so the token of the agent would end up in the repository',
    'run `git rm --cached {{file}}`, commit that, then try again; the file itself stays',
  ),
  FOLDER_TOKEN_READABLE: warning(
    'others on this machine may read {{file}}, which holds the token of the agent',
    'run `chmod 600 {{file}}`',
  ),
  FOLDER_NOT_CONNECTED: missing(
    '{{folder}} is not connected to the instance {{instance}}',
    'connect it with `vp connect --instance {{instance}}`; a folder that was moved is connected by its new path',
  ),
} as const;
