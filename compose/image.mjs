/**
 * Builds the container image from dist/vp with the engine that `docker` reaches: `npm run image`. VP_IMAGE sets its name;
 * default: `vp:v<version>-slim`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const name = process.env.VP_IMAGE || `vp:v${version}-slim`;
const context = '.cache/build/image';

/** What the Dockerfile copies: the binary, and SQLite's native addon under the name that the binary looks for. */
function prepareContext() {
  rmSync(context, { recursive: true, force: true });
  mkdirSync(`${context}/native`, { recursive: true });
  copyFileSync('dist/vp', `${context}/vp`);
  const addon = readFileSync(`node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`);
  const hash = createHash('sha256').update(addon).digest('hex').slice(0, 32);
  writeFileSync(`${context}/native/better_sqlite3-${hash}.node`, addon);
}

prepareContext();
const args = ['build', '--quiet', '--file', 'compose/Dockerfile', '--tag', name, context];
execFileSync('docker', args, { stdio: ['ignore', 'ignore', 'inherit'] });
const size = execFileSync('docker', ['image', 'inspect', '--format', '{{.Size}}', name], { encoding: 'utf8' });
process.stdout.write(`${name}: ${Math.round(Number(size) / 1e6)} MB\n`);
