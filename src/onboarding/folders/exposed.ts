/** Files with a token that others on this machine may read: those that were there before keep their mode. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorWords, wordsOf } from '../../errors/vp-error.ts';
import { mcpFile } from './connect.ts';
import { targetOf } from './own-file.ts';

const anybodyElse = 0o044;

/** The warning where group or others may read the folder's `.mcp.json`; undefined where nobody else may, or it is not there. */
export async function exposure(folder: string, platform: NodeJS.Platform): Promise<ErrorWords | undefined> {
  if (platform === 'win32') return undefined;
  const file = await targetOf(join(folder, mcpFile));
  const found = await stat(file).catch(() => undefined);
  return found && (found.mode & anybodyElse) !== 0 ? wordsOf('FOLDER_TOKEN_READABLE', { file }) : undefined;
}
