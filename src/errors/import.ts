/** Errors of `vp import`, `vp coverage` and the page Coverage. */
import { exitCode } from './exit-code.ts';
import { invalid, notFound, peerFailure, withStatus } from './row.ts';

export const importErrors = {
  IMPORT_SOURCE_MISSING: notFound(
    'there is no file or folder {{path}}',
    'name what was exported, or `-` for standard input',
  ),
  IMPORT_SOURCE_UNREADABLE: invalid(
    '{{path}} cannot be read: {{problem}}',
    'name a text file of at most 64 MB that this user may read',
  ),
  IMPORT_FOLDER_EMPTY: notFound(
    '{{path}} has no file that {{format}} could be',
    'name the file itself, or another format: see `vp import --help`',
  ),
  IMPORT_NOTHING: invalid(
    'nothing of {{path}} is a request that a scenario can send: {{reason}}',
    'check the format: `vp import --help` lists them; `--json` lists everything that was not translated',
  ),
  IMPORT_INTERRUPTED: withStatus(409, exitCode.interrupted)(
    'interrupted; nothing was written',
    'run the same command again',
  ),
  IMPORT_UNANSWERED: peerFailure(
    'nothing was written: {{count}} no response: {{problem}}',
    'start the target that --against names, or import without --against and take checks from it later',
  ),
  COVERAGE_DOCUMENT_INVALID: invalid(
    'the file {{name}} cannot be used: {{problem}}',
    'choose the OpenAPI document of the target, version 2 or 3, in JSON or YAML',
  ),
} as const;
