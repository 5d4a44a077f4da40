/**
 * `npm test`: types and lint beside the build, which fails where a generated file is stale and computes on one core for most of its time,
 * then every test. With files behind `--` only those run, without the checks and, unless one of them needs the packed binary, without the build.
 */
import { spawn } from 'node:child_process';

const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith('-'));
const needsBinary = files.length === 0 || files.some((file) => /^(\.\/)?test(\/?$|\/(e2e|packed)(\/|$))/.test(file));

/** The compiler of types, a program in Go, has a heap of some GB at most: it collects garbage a quarter as often. */
const env = { GOGC: '400', ...process.env };

/** Resolves with the exit code. */
function start(command, ...commandArgs) {
  return new Promise((resolve) => {
    const child = spawn(command, commandArgs, { stdio: 'inherit', env, shell: process.platform === 'win32' });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Ends this process where one of them fails, when all have ended. */
async function run(...commands) {
  const codes = await Promise.all(commands.map((command) => start(...command)));
  const failure = codes.find((code) => code !== 0);
  if (failure !== undefined) process.exit(failure);
}

// They get it too, and clean up before they end.
process.on('SIGINT', () => {});

const build = ['npm', 'run', '--silent', 'build', '--', '--if-stale'];
if (files.length === 0) {
  // Without `--frozen` the build would write generated files instead of failing.
  await run(['npm', 'run', '--silent', 'check:code'], [...build, '--frozen']);
} else if (needsBinary) await run(build);
await run([process.execPath, 'test/run.mjs', ...args]);
