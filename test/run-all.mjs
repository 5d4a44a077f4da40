/**
 * `npm test`: types, lint, generated files, the build, then every test. With files behind `--` only those run, without the
 * checks and, unless one of them needs the packed binary, without the build.
 */
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const files = args.filter((arg) => !arg.startsWith('-'));
const needsBinary = files.length === 0 || files.some((file) => /^(\.\/)?test(\/?$|\/(e2e|packed)(\/|$))/.test(file));

function run(command, ...commandArgs) {
  const { status } = spawnSync(command, commandArgs, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

if (files.length === 0) run('npm', 'run', '--silent', 'check');
if (needsBinary) run('npm', 'run', '--silent', 'build', '--', '--if-stale');
run(process.execPath, 'test/run.mjs', ...args);
