import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type ProjectOptions, parseProject } from './parse.ts';
import { type ConfigProblem, type OnProblem, problemOf } from './problem.ts';
import type { ProjectConfig } from './project-config.ts';

/** What reading a product folder gave: `config` only where no problem is an error. */
export type LoadedProject = {
  readonly config: ProjectConfig | undefined;
  readonly problems: readonly ConfigProblem[];
  /** The config file as problems name it. */
  readonly configFile: string;
};

const configName = 'platform-config.yaml';
const sizeLimitBytes = 1_048_576;

/**
 * Reads `platform-config.yaml` and `.env` of a product folder; `folder` may also name the config file itself. Problems
 * name files below `folder` as it was given. Never throws for what the files are or say.
 */
export async function loadProject(folder: string, options: ProjectOptions = {}): Promise<LoadedProject> {
  const problems: ConfigProblem[] = [];
  const onProblem: OnProblem = (problem) => problems.push(problem);
  const configFile = /\.ya?ml$/.test(folder) ? folder : join(folder, configName);
  const envFile = join(dirname(configFile), '.env');
  const [read, env] = await Promise.all([readText(configFile), readText(envFile)]);
  if ('text' in read) {
    if ('reason' in env) onProblem(unreadable(envFile, env.reason));
    const envText = 'text' in env ? env.text : undefined;
    const texts = { configText: read.text, configFile, envText, envFile, envUnreadable: 'reason' in env };
    const config = parseProject(texts, options, onProblem);
    return { config: 'reason' in env ? undefined : config, problems, configFile };
  }
  onProblem('absent' in read ? await absence(configFile) : unreadable(configFile, read.reason));
  return { config: undefined, problems, configFile };
}

/** The config, or as a VpError what is wrong: the problem itself when it is the only error, else CONFIG_INVALID. */
export function configOrThrow(loaded: LoadedProject): ProjectConfig {
  if (loaded.config) return loaded.config;
  const errors = loaded.problems.filter(({ severity }) => severity === 'error');
  const [first, second] = errors;
  if (!first) throw new TypeError('a config is absent only where a problem is an error');
  const { file, spot } = first;
  const place = { file, ...spot };
  if (!second) throw new VpError(first, {}, { place });
  const values = { file: loaded.configFile, errors: errors.length, folder: dirname(loaded.configFile) };
  throw vpError('CONFIG_INVALID', values, { place, diagnostics: errors.map(diagnosticOf) });
}

function diagnosticOf({ code, message, cure, file, spot }: ConfigProblem): object {
  return { code, message, cure, file, ...spot };
}

/** `reason` says what is wrong with the file: a problem's code and what it needs. */
type Reason = 'too_large' | { readonly badByte: number } | { readonly system: string };
type Read = { readonly text: string } | { readonly absent: true } | { readonly reason: Reason };

/** Never waits on what is no regular file, such as a pipe. */
async function readText(file: string): Promise<Read> {
  let handle: FileHandle | undefined;
  try {
    const found = await stat(file);
    if (!found.isFile()) return { reason: { system: found.isDirectory() ? 'it is a folder' : 'it is no file' } };
    if (found.size > sizeLimitBytes) return { reason: 'too_large' };
    handle = await open(file, 'r');
    return decoded(await handle.readFile());
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { absent: true } : { reason: { system: code } };
  } finally {
    await handle?.close();
  }
}

function decoded(bytes: Buffer): Read {
  const nul = bytes.indexOf(0);
  if (nul >= 0) return { reason: { badByte: nul } };
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const again = Buffer.from(text, 'utf8');
  return { reason: { badByte: bytes.findIndex((byte, index) => byte !== again[index]) } };
}

function unreadable(file: string, reason: Reason): ConfigProblem {
  if (reason === 'too_large') return problemOf('CONFIG_FILE_TOO_LARGE', { file }, { file, limit: '1 MB' });
  if ('badByte' in reason) return problemOf('CONFIG_FILE_NOT_TEXT', { file }, { file, byte: reason.badByte });
  return problemOf('CONFIG_FILE_UNREADABLE', { file }, { file, reason: reason.system });
}

/** Says what there is instead, as `platform-config.yml`. */
async function absence(file: string): Promise<ConfigProblem> {
  const folder = dirname(file);
  const names = await namesIn(folder);
  if (!names) return problemOf('CONFIG_FOLDER_MISSING', { file }, { folder });
  const similar = names.find((name) => /^platform-config\.(ya?ml|json)$/i.test(name) && name !== basename(file));
  const found = similar === undefined ? '' : `, only ${similar}: rename it`;
  return problemOf('CONFIG_FILE_MISSING', { file }, { folder, found });
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
