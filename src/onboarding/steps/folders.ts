/** The folders of the two agents must be separate, and the `.env` in one of them must not be in git. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { createFolderContext, createWriteAccess, type FolderContext } from '../agent-folders/file-access.ts';
import { assertSeparateFolders } from '../agent-folders/separate-folders.ts';
import { applyEdits } from '../agent-folders/text-edit.ts';
import {
  appendLines,
  assertUntracked,
  formatUntrackCommand,
  listUnignored,
  toIgnoreLine,
} from '../agent-folders/token-protection.ts';
import type { OnboardingContext } from '../context.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

function envFilePath({ request }: Pick<OnboardingContext, 'request'>): string {
  return join(request.productDir, '.env');
}

async function assertSecretUntracked(file: string, folderContext: FolderContext): Promise<void> {
  await assertUntracked(file, folderContext).catch((error: unknown) => {
    const isTracked = error instanceof VpError && error.code === 'FOLDER_TOKEN_TRACKED';
    throw isTracked ? vpError('ENV_TRACKED', { file, untrack: formatUntrackCommand(file) }) : error;
  });
}

export const foldersStep: WorkflowStep<OnboardingContext> = {
  id: 'folders',
  title: 'folders of the agents',
  async check(context) {
    const { request } = context;
    await assertSeparateFolders(request.testDir, request.productDir);
    const file = envFilePath(context);
    if (!(await stat(file).catch(() => undefined))) return upToDate('two folders, apart; there is no .env');
    const folderContext = createFolderContext(context.ports.environment);
    await assertSecretUntracked(file, folderContext);
    const unignoredFiles = await listUnignored([file], folderContext);
    return unignoredFiles.length === 0
      ? upToDate('two folders, apart; git leaves .env alone')
      : actionNeeded('.env is not in .gitignore');
  },
  async act(context) {
    const { request } = context;
    const line = toIgnoreLine(request.productDir, envFilePath(context));
    const addLine = (text: string | undefined): string => applyEdits(text ?? '', [appendLines(text, [line])]);
    await createWriteAccess(createFolderContext(context.ports.environment)).rewrite(
      join(request.productDir, '.gitignore'),
      addLine,
      0o644,
    );
    return { detail: 'added .env to .gitignore' };
  },
};
