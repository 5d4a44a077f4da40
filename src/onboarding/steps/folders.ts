/** The two folders of the agents, apart from each other, and the secrets in one of them kept out of git. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { demandApart } from '../folders/apart.ts';
import { demandUntracked, ignoreLine, linesAdded, unignored } from '../folders/git-ignore.ts';
import { type FolderPlace, writing } from '../folders/place.ts';
import { edited } from '../folders/text-edit.ts';

function envFile({ asked }: Pick<OnboardingContext, 'asked'>): string {
  return join(asked.productDir, '.env');
}

/** What changing files of the folders takes. */
export function folderPlace({ ports }: Pick<OnboardingContext, 'ports'>): FolderPlace {
  const { paths, random, variables } = ports.environment;
  return { config: paths.config, random, variables };
}

async function demandSecret(file: string, place: FolderPlace): Promise<void> {
  await demandUntracked(file, place).catch((error: unknown) => {
    const isTracked = error instanceof VpError && error.code === 'FOLDER_TOKEN_TRACKED';
    throw isTracked ? vpError('ENV_TRACKED', { file }) : error;
  });
}

/** The step. */
export const foldersStep: Step<OnboardingContext> = {
  id: 'folders',
  title: 'folders of the agents',
  async check(context) {
    const { asked } = context;
    await demandApart(asked.testDir, asked.productDir);
    const file = envFile(context);
    if (!(await stat(file).catch(() => undefined))) return done('two folders, apart; there is no .env');
    const place = folderPlace(context);
    await demandSecret(file, place);
    const open = await unignored([file], place);
    return open.length === 0 ? done('two folders, apart; git leaves .env alone') : todo('.env is not in .gitignore');
  },
  async act(context) {
    const { asked } = context;
    const line = ignoreLine(asked.productDir, envFile(context));
    const add = (text: string | undefined): string => edited(text ?? '', [linesAdded(text, [line])]);
    await writing(folderPlace(context)).rewrite(join(asked.productDir, '.gitignore'), add, 0o644);
    return { detail: 'added .env to .gitignore' };
  },
};
