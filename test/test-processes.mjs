/** Starts the processes of test files and resolves with what each file printed, how it ended and what it took. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { hasFailure, splitOutput } from './file-batches.ts';

/** Only a file that hangs uses it up; a slow machine takes several times as long as what was recorded. */
const fileTimeoutMs = 480_000 * Number(process.env.VP_TEST_CPU_THROTTLE ?? '1');

/**
 * Without V8's last compiler: it takes more of the other core than short tests gain by its code, a tenth of their processor time. The one
 * before it, Maglev, optimizes what computes for long. Files with a process of their own have both, as the product has. What a test has
 * created is garbage soon: with a young generation that it seldom fills, less of it is copied. Other files keep the other cores busy, so
 * that threads which help to collect it save no time and cost a twentieth of the whole.
 */
const sharedOptions = ['--no-turbofan', '--single-threaded-gc', '--min-semi-space-size=32', '--max-semi-space-size=64'];
/** Loading fills the usual 1 MB many times. More would be part of what these files measure. */
const ownOptions = ['--min-semi-space-size=16'];

/** The text of a file that a process wrote; undefined where it could not, because it was killed. */
function takeText(file) {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  return text;
}

/**
 * `environmentOf(file)` is what the files of a process get beside the usual environment; `testFolder` has the link to a folder in memory
 * for their folders.
 */
export function createTestProcesses({ runMark, grep, packagesFolder, cacheFolder, testFolder, environmentOf }) {
  const running = new Set();
  const usageFolder = resolve(cacheFolder, 'usage');
  let processCount = 0;
  mkdirSync(usageFolder, { recursive: true });

  function startNode(program, { usageFile, env, nodeOptions = ownOptions }) {
    const nodeArgs = [
      ...nodeOptions,
      '--import=./test/usage-hook.mjs',
      '--import=./test/tsx-hook.mjs',
      ...(testFolder === undefined ? [] : ['--import=./test/test-folder.mjs']),
    ];
    return spawn(process.execPath, [...nodeArgs, program, runMark], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? resolve(cacheFolder, 'compiled'),
        VP_TEST_PACKAGES: packagesFolder,
        ...(testFolder === undefined ? {} : { VP_TEST_FOLDER: testFolder.link }),
        VP_TEST_USAGE: usageFile,
        TAP_TIMEOUT: String(fileTimeoutMs / 1000),
        ...(grep === undefined ? {} : { TAP_GREP: grep.join('\n') }),
        ...env,
      },
    });
  }

  /** A process; the time limit begins anew with each line that `isStart` accepts. */
  function runProcess(program, { env, nodeOptions, isStart = () => false }) {
    return new Promise((settle) => {
      const startMs = performance.now();
      processCount += 1;
      const usageFile = `${usageFolder}/${runMark}-${processCount}`;
      const child = startNode(program, { usageFile, env, nodeOptions });
      running.add(child);
      const lines = [];
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 2000).unref();
      }, fileTimeoutMs);
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        if (isStart(line)) timer.refresh();
      });
      child.on('close', (exitCode, signal) => {
        clearTimeout(timer);
        running.delete(child);
        const usage = takeText(usageFile);
        const processorMs = usage === undefined ? undefined : Number(usage);
        settle({ lines, exitCode, signal, timedOut, durationMs: performance.now() - startMs, processorMs });
      });
    });
  }

  async function runFile(file) {
    return { file, ...(await runProcess(file, { env: environmentOf(file) })) };
  }

  /** Runs files in one process; those that it did not come to, because one ended it or left it changed, in one each. */
  async function runBatch(files) {
    const recordsFile = `${usageFolder}/${runMark}-records-${processCount}`;
    const env = { ...environmentOf(files[0]), VP_TEST_FILES: files.join('\n'), VP_TEST_RECORDS: recordsFile };
    const end = await runProcess('test/shared-process.ts', {
      env,
      nodeOptions: sharedOptions,
      isStart: (line) => line.startsWith('# Subtest: '),
    });
    const records = (takeText(recordsFile) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const results = readBatch(files, end, records);
    for (const file of files.slice(results.length)) results.push(await runFile(file));
    return results;
  }

  const killAll = (signal) => {
    for (const child of running) child.kill(signal);
  };

  return { runFile, runBatch, killAll };
}

/**
 * The results of the files that a shared process came to. Whatever ended it badly is the result of the file at which that happened:
 * the first without a record, or the last.
 */
function readBatch(files, end, records) {
  const outputs = splitOutput(end.lines, files);
  const results = records.map(({ file, wallMs, processorMs, problem }) => {
    const lines = outputs.get(file);
    return {
      file,
      lines,
      problem,
      exitCode: hasFailure(lines) ? 1 : 0,
      signal: null,
      timedOut: false,
      durationMs: wallMs,
      processorMs,
    };
  });
  const { exitCode, signal, timedOut } = end;
  const isExpected = results.some(({ exitCode, problem }) => exitCode !== 0 || problem !== undefined);
  const isBad = timedOut || signal !== null || (exitCode !== 0 && !isExpected);
  const stoppedBefore = records.at(-1)?.problem !== undefined;
  const current = stoppedBefore ? undefined : files[records.length];
  if (current !== undefined) {
    const problem = isBad ? undefined : 'ended the process that it shared';
    results.push({ file: current, lines: outputs.get(current), problem, ...pickEnd(end) });
  } else if (isBad) Object.assign(results.at(-1), { exitCode, signal, timedOut });
  return results;
}

const pickEnd = ({ exitCode, signal, timedOut, durationMs }) => ({ exitCode, signal, timedOut, durationMs });
