import { isUtf8 } from 'node:buffer';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type ConfigProblem, createConfigProblem, type OnProblem } from './config-problem.ts';
import { type ProjectOptions, parseProject } from './parse-project.ts';
import type { ProjectConfig } from './project-config.ts';

/** The result of reading a product folder: `config` is undefined when a problem is an error. */
export type LoadedProject = {
  readonly config: ProjectConfig | undefined;
  readonly problems: readonly ConfigProblem[];
  /** The path of the config file as used in problems. */
  readonly configFile: string;
};

const configFileName = 'platform-config.yaml';
const maxFileBytes = 1_048_576;

/**
 * Reads `platform-config.yaml` and `.env` of a product folder; `folder` may also be the path of the config file.
 * Problems name files below `folder` as it was given. Never throws because of the files or their content.
 */
export async function loadProject(folder: string, options: ProjectOptions = {}): Promise<LoadedProject> {
  const problems: ConfigProblem[] = [];
  const onProblem: OnProblem = (problem) => problems.push(problem);
  const configFile = /\.ya?ml$/.test(folder) ? folder : join(folder, configFileName);
  const envFile = join(dirname(configFile), '.env');
  const [configRead, env] = await Promise.all([readText(configFile), readText(envFile)]);
  if ('text' in configRead) {
    if ('reason' in env) onProblem(createUnreadableProblem(envFile, env.reason));
    const envText = 'text' in env ? env.text : undefined;
    const texts = { configText: configRead.text, configFile, envText, envFile, envUnreadable: 'reason' in env };
    const config = parseProject(texts, options, onProblem);
    return { config: 'reason' in env ? undefined : config, problems, configFile };
  }
  onProblem(
    'absent' in configRead
      ? await createMissingProblem(configFile)
      : createUnreadableProblem(configFile, configRead.reason),
  );
  return { config: undefined, problems, configFile };
}

/** Returns the config, or throws a VpError: the problem itself when it is the only error, otherwise CONFIG_INVALID. */
export function requireConfig(loaded: LoadedProject): ProjectConfig {
  if (loaded.config) return loaded.config;
  const errors = loaded.problems.filter(({ severity }) => severity === 'error');
  const [first, second] = errors;
  if (!first) throw new TypeError('a config is undefined only when a problem is an error');
  const { file, position } = first;
  const location = { file, ...position };
  if (!second) throw new VpError(first, {}, { location });
  const values = { file: loaded.configFile, errors: errors.length, folder: dirname(loaded.configFile) };
  throw vpError('CONFIG_INVALID', values, { location, diagnostics: errors.map(toDiagnostic) });
}

function toDiagnostic({ code, message, cure, file, position }: ConfigProblem): object {
  return { code, message, cure, file, ...position };
}

/** Why a file cannot be used. */
type UnreadableReason = 'too_large' | { readonly badByteOffset: number } | { readonly system: string };
type FileRead = { readonly text: string } | { readonly absent: true } | { readonly reason: UnreadableReason };

/** Never blocks on something other than a regular file, such as a pipe. */
async function readText(file: string): Promise<FileRead> {
  let handle: FileHandle | undefined;
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return { reason: { system: stats.isDirectory() ? 'it is a folder' : 'it is not a file' } };
    if (stats.size > maxFileBytes) return { reason: 'too_large' };
    handle = await open(file, 'r');
    return decodeText(await handle.readFile());
  } catch (error) {
    const code = getSystemErrorCode(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { absent: true } : { reason: { system: code } };
  } finally {
    await handle?.close();
  }
}

function decodeText(bytes: Buffer): FileRead {
  const nulOffset = bytes.indexOf(0);
  if (nulOffset >= 0) return { reason: { badByteOffset: nulOffset } };
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const reencoded = Buffer.from(text, 'utf8');
  return { reason: { badByteOffset: bytes.findIndex((byte, index) => byte !== reencoded[index]) } };
}

function createUnreadableProblem(file: string, reason: UnreadableReason): ConfigProblem {
  if (reason === 'too_large') return createConfigProblem('CONFIG_FILE_TOO_LARGE', { file }, { file, limit: '1 MB' });
  if ('badByteOffset' in reason)
    return createConfigProblem('CONFIG_FILE_NOT_TEXT', { file }, { file, byte: reason.badByteOffset });
  return createConfigProblem('CONFIG_FILE_UNREADABLE', { file }, { file, reason: reason.system });
}

/** Mentions a similar file such as `platform-config.yml`. */
async function createMissingProblem(file: string): Promise<ConfigProblem> {
  const folder = dirname(file);
  const fileNames = await listFileNames(folder);
  if (!fileNames) return createConfigProblem('CONFIG_FOLDER_MISSING', { file }, { folder });
  const similar = fileNames.find((name) => /^platform-config\.(ya?ml|json)$/i.test(name) && name !== basename(file));
  const similarText = similar === undefined ? '' : `, only ${similar}: rename it`;
  return createConfigProblem(
    'CONFIG_FILE_MISSING',
    { file },
    { folder: folder === '.' ? 'this folder' : folder, similar: similarText },
  );
}

async function listFileNames(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch {
    return undefined;
  }
}

function getSystemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
