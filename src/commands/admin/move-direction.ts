/** Between which database and which folder `vp move` copies. */
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type PostgresSettings, readPostgresSettings } from '../../store/postgres/connection-settings.ts';

export type Direction = 'to' | 'from';

type DirectionFlags = Readonly<Partial<Record<'to' | 'to-file' | 'from' | 'from-file', string | undefined>>>;

/** Throws FLAG_INVALID, STORE_DATABASE_URL, STORE_DATABASE_PASSWORD_EXPOSED, STORE_DATABASE_FILE. */
export function parseDirection(
  flags: DirectionFlags,
  { cwd, variables }: Pick<Environment, 'cwd' | 'variables'>,
): { readonly direction: Direction; readonly settings: PostgresSettings } {
  const named = (['to', 'to-file', 'from', 'from-file'] as const).flatMap((flag) => {
    const value = flags[flag];
    return value === undefined ? [] : [{ flag, value }];
  });
  const [first, second] = named;
  const fail = (flag: string, problem: string) => vpError('FLAG_INVALID', { flag, problem, command: 'vp move' });
  if (!first) throw fail('--to', 'is needed, or --to-file, --from or --from-file');
  if (second) throw fail(`--${second.flag}`, `excludes --${first.flag}`);
  const { flag, value } = first;
  const isFile = flag === 'to-file' || flag === 'from-file';
  const source = isFile
    ? ({ kind: 'file', file: resolve(cwd, value) } as const)
    : ({ kind: 'flag', name: `--${flag}`, url: value } as const);
  return { direction: flag.startsWith('to') ? 'to' : 'from', settings: readPostgresSettings(source, variables) };
}
