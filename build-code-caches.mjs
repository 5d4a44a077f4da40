/** Code caches: what V8 has compiled for commands that ran during the build, so that the binary does not compile it at each start. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const require = createRequire(import.meta.url);
const work = '.cache/build';

/** The example project with a target for it, so that what `vp run --local` needs is compiled. */
async function warmProject() {
  const answer = JSON.stringify({ data: [], count: 0, currentPage: 1, perPage: 10, totalPages: 0 });
  const target = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(answer),
  );
  await once(target.listen(0, '127.0.0.1'), 'listening');
  const folder = `${work}/warm`;
  mkdirSync(folder, { recursive: true });
  copyFileSync('compose/example/product/platform-config.yaml', `${folder}/platform-config.yaml`);
  writeFileSync(`${folder}/.env`, 'API_TOKEN=token-of-the-build\nDATABASE_PASSWORD=not-used-here\n', { mode: 0o600 });
  const baseUrl = `http://127.0.0.1:${target.address().port}`;
  const folders = ['--product-dir', folder, '--test-dir', 'compose/example/test'];
  return { folder, baseUrl, args: ['run', '--local', '--base-url', baseUrl, ...folders] };
}

/** The code caches: of each part, and of the roles of the rest that keep running. */
export const codeCaches = [
  { cache: 'rest', part: 'rest', warmUp: runCommands },
  { cache: 'role', part: 'rest', warmUp: runRoles },
  { cache: 'run', part: 'run', warmUp: runScenarios },
  { cache: 'executor', part: 'executor', warmUp: runRoles },
  { cache: 'client', part: 'client', warmUp: runClients },
];

async function runScenarios(run) {
  await run((await warmProject()).args);
}

async function runCommands(run) {
  for (const args of [(await warmProject()).args, ['completion', 'bash'], ['complete', '--', 'run', ''], ['--help']])
    await run(args);
}

/** A new control plane; `data` is the folder around its own. */
async function startControlPlane(run) {
  const data = resolve(work, 'warm-data');
  rmSync(data, { recursive: true, force: true });
  const serve = await run.until(['serve', '--json', '--port', '0', '--data', `${data}/control-plane`], /\}\n/);
  const { url, owner_key_file: ownerKey } = JSON.parse(serve.output);
  return { data, url, ownerKey, stop: serve.stop };
}

/** Commands of a user of a control plane, and some that need none. */
async function runClients(run) {
  for (const args of [['--help'], ['docs'], ['completion', 'bash'], ['validate', 'compose/example/test/scenarios']])
    await run(args);
  const { data, url, stop } = await startControlPlane(run);
  const create = ['instances', 'create', 'warm', '--key-file', `${data}/executor.key`];
  const lists = [['instances'], ['runs'], ['scenarios', 'list', '--instance', 'warm']];
  for (const args of [['whoami'], create, ...lists]) await run([...args, '--control-plane', url]);
  await stop();
}

/** Resolves when a run of an example's scenario has ended. */
async function runScenario(url, headers) {
  const id = 'RT-GET-envelope';
  const text = readFileSync(`compose/example/test/scenarios/${id}.md`, 'utf8');
  const call = async (method, path, body) => {
    const init = {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    };
    const response = await fetch(`${url}/api/v1${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path} was refused while it was warmed up: ${await response.text()}`);
    return response.json();
  };
  await call('PUT', `/instances/warm/scenarios/${id}`, { text });
  const { runs } = await call('POST', '/instances/warm/runs', { scenarios: [{ id }] });
  const { result, failure } = await call('GET', `/runs/${runs[0].run_id}?wait_ms=20000`);
  if (!result || failure?.kind === 'target_unreachable') throw new Error(`the run to warm up ended without a result`);
}

/** A control plane, an instance of it, its executor, a run, and the pages and lists that are read first. */
async function runRoles(run) {
  const { folder: product, baseUrl } = await warmProject();
  const { data, url, ownerKey, stop } = await startControlPlane(run);
  const key = `${data}/executor.key`;
  await run(['instances', 'create', 'warm', '--key-file', key, '--control-plane', url]);
  const folders = ['--product-dir', product, '--data', `${data}/executor`, '--base-url', baseUrl];
  const role = ['executor', '--key-file', key, '--port', '0', '--control-plane', url, ...folders];
  const executor = await run.until(role, /registered as/);
  const headers = { authorization: `Bearer ${readFileSync(ownerKey, 'utf8').trim()}` };
  await runScenario(url, headers);
  for (const path of ['/', '/healthz', '/api/v1/instances', '/api/v1/runs'])
    await (await fetch(url + path, { headers })).text();
  await executor.stop();
  await stop();
}

/** What `node:sea` has in the packed binary, from the files that it will carry. */
function createBinaryModule(assets) {
  const getRawAsset = (name) => new Uint8Array(readFileSync(assets[name])).buffer;
  return {
    isSea: () => true,
    getAssetKeys: () => Object.keys(assets),
    getRawAsset,
    getAsset: (name, encoding) => (encoding ? readFileSync(assets[name], encoding) : getRawAsset(name)),
  };
}

/** Runs commands of a part in this process, whose output is kept; one that has not ended with 0 is an error. */
function createCommandRunner(dispatch, environment) {
  const begin = (args, onOutput) => {
    const listeners = new Set();
    const process = { output: '', errors: '' };
    const keep = (member, text) => {
      process[member] += text;
      return process[member];
    };
    const streams = {
      ...environment.streams,
      stdout: { write: (text) => onOutput(keep('output', text)) },
      stderr: { write: (text) => keep('errors', text) },
    };
    const onInterrupt = (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    process.ended = dispatch({ ...environment, args, streams, onInterrupt }).then((code) => {
      if (code !== 0)
        throw new Error(`vp ${args.join(' ')} ended with ${code} while it was warmed up: ${process.errors}`);
    });
    process.stop = () => {
      for (const listener of listeners) listener('SIGTERM');
      return process.ended;
    };
    return process;
  };
  const run = (args) => begin(args, () => true).ended;
  /** Resolves when the output matches; the command goes on. */
  run.until = async (args, pattern) => {
    const { promise, resolve: matched } = Promise.withResolvers();
    const process = begin(args, (output) => pattern.test(output) && matched());
    await Promise.race([promise, process.ended]);
    return process;
  };
  return run;
}

/**
 * In a process of its own, which is to end with what the commands left open: runs some, then keeps the code that was
 * compiled for them. Measured: `vp run --local` of four scenarios takes 150 ms in place of 202 with a cache of the bare file.
 */
export async function writeCodeCache(name, assets) {
  const { part, warmUp } = codeCaches.find(({ cache }) => cache === name);
  // V8 forgets the code of functions that have not run for a while, as those that only a start needs.
  setFlagsFromString('--no-flush-bytecode');
  const sea = createBinaryModule(assets);
  let rest;
  const loadRest = () => (rest ??= load('rest').loaded.exports);
  // As the entry does (build-plugins.mjs).
  const load = (name) => {
    const script = new Script(readFileSync(`${work}/${name}.cjs`, 'utf8'), { filename: `${name}.cjs` });
    const loaded = { exports: {} };
    const requireModule = (id) => (id === 'node:sea' ? sea : require(id));
    script.runInThisContext()(loaded, loaded.exports, requireModule, loadRest);
    return { script, loaded };
  };
  const { script, loaded } = load(part);
  const { processEnvironment } = await import('./src/environment/environment.ts');
  await warmUp(createCommandRunner(loaded.exports.dispatch, processEnvironment()));
  (await import('./src/environment/webassembly-tiers.ts')).allowOptimizedWebAssembly();
  // Flags are part of a cache, and must be those of the binary.
  setFlagsFromString('--flush-bytecode');
  writeFileSync(`${work}/${name}.cache`, script.createCachedData());
  process.exit();
}

export function makeCodeCaches() {
  const folder = resolve(work, 'warm-home');
  // Nothing of the user's is read, and none of the user's variables changes what is warmed up.
  const env = { PATH: process.env.PATH, HOME: folder, USERPROFILE: folder, LOCALAPPDATA: folder };
  const sizes = codeCaches.map(({ cache, part }) => {
    execFileSync(process.execPath, ['build.mjs', '--write-code-cache', cache], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
    });
    const cachedData = readFileSync(`${work}/${cache}.cache`);
    // In this process, which has not compiled it: V8 refuses a cache that was made with other flags, and only the start is slow.
    const script = new Script(readFileSync(`${work}/${part}.cjs`, 'utf8'), { filename: `${part}.cjs`, cachedData });
    if (script.cachedDataRejected) throw new Error(`V8 refuses the code cache ${cache} of ${part}.cjs`);
    return `${Math.round(cachedData.length / 1024)} KB`;
  });
  return sizes.join(', ');
}
