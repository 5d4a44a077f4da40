/**
 * `vp run --watch`: runs again when a scenario or the configuration changes. The files are looked at twice a second: events of the
 * file system do not come from mounted folders of containers and of other machines, and editors replace files.
 */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { printError } from '../../command-line/print-error.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { pollUntil } from '../../timing/poll.ts';

/** Paths as given: `scenarios` are files and folders, `config` are files. */
export type WatchedPaths = { readonly scenarios: readonly string[]; readonly config: readonly string[] };

/** Runs the changed files, or with undefined the whole selection. */
export type RerunScenarios = (changedFiles: readonly string[] | undefined) => Promise<ExitCode>;

const lookEveryMs = 500;

type Wakeup =
  | { readonly kind: 'quit' | 'again' | 'all' }
  | { readonly kind: 'changed'; readonly files: readonly string[] };

/** Ends at Ctrl-C with its exit code, and at `q` with that of the last run. */
export async function rerunOnChange(
  watched: WatchedPaths,
  environment: Environment,
  run: RerunScenarios,
): Promise<ExitCode> {
  const { streams, cwd } = environment;
  let selected: readonly string[] | undefined;
  for (;;) {
    const before = readVersions(watched, cwd);
    const code = await runSafely(run, selected, environment);
    if (code === exitCode.interrupted) return code;
    streams.stderr.write(formatPrompt(before.size, environment));
    const wakeup = await waitForWakeup(before, watched, environment);
    if (wakeup === 'interrupted') return exitCode.interrupted;
    if (wakeup.kind === 'quit') return code;
    if (wakeup.kind === 'all') selected = undefined;
    if (wakeup.kind !== 'changed') continue;
    streams.stderr.write(`changed: ${wakeup.files.map(escapeUnsafeLine).join(', ')}\n`);
    selected = selectChanged(wakeup.files, watched, cwd);
  }
}

/** A file that cannot be used ends the run, not the watch: it is about to be corrected. */
async function runSafely(run: RerunScenarios, files: readonly string[] | undefined, environment: Environment) {
  try {
    return await run(files);
  } catch (thrown) {
    return printError(thrown, { json: false, debug: false }, environment).row.exit;
  }
}

function formatPrompt(count: number, { streams }: Environment): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  return isTerminal(streams.stdin)
    ? `\nwatching ${files} · Enter: run again · a: run all · q: quit\n`
    : `\nwatching ${files} until Ctrl-C\n`;
}

/** Only scenarios that changed, unless the configuration did, or a file is gone. */
function selectChanged(files: readonly string[], { config }: WatchedPaths, cwd: string): readonly string[] | undefined {
  const configFiles = new Set(config.map((file) => resolve(cwd, file)));
  const isAll = files.some(
    (file) => configFiles.has(resolve(cwd, file)) || readVersion(resolve(cwd, file)) === undefined,
  );
  return isAll ? undefined : files;
}

/** Absolute path → what changes with its content. */
type FileVersions = ReadonlyMap<string, string>;

function readVersions({ scenarios, config }: WatchedPaths, cwd: string): FileVersions {
  const files = [
    ...scenarios.flatMap((path) => listScenarioFiles(resolve(cwd, path))),
    ...config.map((file) => resolve(cwd, file)),
  ];
  const entries = files.map((file) => [file, readVersion(file)] as const);
  return new Map(entries.flatMap(([file, fileVersion]) => (fileVersion === undefined ? [] : [[file, fileVersion]])));
}

function readVersion(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

function listScenarioFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (entry.isDirectory()) return listScenarioFiles(join(path, entry.name));
      return /\.md$/i.test(entry.name) ? [join(path, entry.name)] : [];
    });
  } catch {
    return [];
  }
}

async function waitForWakeup(
  before: FileVersions,
  watched: WatchedPaths,
  environment: Environment,
): Promise<Wakeup | 'interrupted'> {
  const controller = new AbortController();
  const { promise, resolve: wake } = Promise.withResolvers<Wakeup | 'interrupted'>();
  const stopListening = environment.onInterrupt(() => wake('interrupted'));
  const stopReading = readKeys(environment.streams.stdin, wake);
  watchFiles(before, watched, environment, controller.signal, wake).catch(() => undefined);
  try {
    return await promise;
  } finally {
    controller.abort();
    stopReading();
    stopListening();
  }
}

/** Waits until two looks agree, so that a file is not read while it is written. */
async function watchFiles(
  before: FileVersions,
  watched: WatchedPaths,
  { clock, cwd }: Environment,
  signal: AbortSignal,
  wake: (wakeup: Wakeup) => void,
): Promise<void> {
  let last = before;
  const look = (): readonly string[] => {
    const current = readVersions(watched, cwd);
    const isSettled = listDifferences(last, current).length === 0;
    last = current;
    return isSettled ? listDifferences(before, current) : [];
  };
  const changed = await pollUntil({ clock, pauseMs: lookEveryMs, signal }, look, (files) => files.length > 0);
  wake({ kind: 'changed', files: changed.map((file) => relative(cwd, file)) });
}

function listDifferences(before: FileVersions, after: FileVersions): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file));
}

type TerminalInput = NodeJS.ReadableStream & { readonly isTTY: true; setRawMode(raw: boolean): unknown };

function isTerminal(stdin: NodeJS.ReadableStream): stdin is TerminalInput {
  return 'isTTY' in stdin && stdin.isTTY === true && 'setRawMode' in stdin;
}

/** Without a terminal there are no keys. In raw mode Ctrl-C is a key too. */
function readKeys(stdin: NodeJS.ReadableStream, wake: (wakeup: Wakeup | 'interrupted') => void): () => void {
  if (!isTerminal(stdin)) return () => {};
  const onData = (chunk: Buffer | string): void => {
    for (const key of chunk.toString()) {
      if (key === '\u0003') wake('interrupted');
      if (key === 'q' || key === '\u0004') wake({ kind: 'quit' });
      if (key === '\r' || key === '\n') wake({ kind: 'again' });
      if (key === 'a') wake({ kind: 'all' });
    }
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  stdin.resume();
  return () => {
    stdin.off('data', onData);
    stdin.pause();
    stdin.setRawMode(false);
  };
}
