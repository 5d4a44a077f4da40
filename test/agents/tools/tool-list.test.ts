/** The definitions of the tools: number, size, and content. */
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { listToolDefinitions } from '../../../src/agents/tools/tool-list.ts';
import type { AgentRole } from '../../../src/contract/agents/agent-token.ts';

const roles: readonly (readonly [AgentRole, number, string])[] = [
  ['test', 16, 'author__'],
  ['product', 6, 'product__'],
];

t.test('each role has its own tools, with short names of its own prefix', async (t) => {
  for (const [role, count, prefix] of roles) {
    const names = listToolDefinitions(role).map(({ name }) => name);
    t.equal(names.length, count);
    t.equal(new Set(names).size, count);
    t.ok(
      names.every((name) => name.startsWith(prefix) && name.length <= 64 && /^[a-z_]+$/.test(name)),
      role,
    );
  }
});

t.test('the tools of the specification exist', async (t) => {
  const names = listToolDefinitions('test').map(({ name }) => name);
  const named = ['get_executor_status', 'list_scenarios', 'request_run', 'get_run_status', 'validate_scenario'];
  for (const name of [...named, 'write_scenario', 'delete_scenario']) t.ok(names.includes(`author__${name}`), name);
});

// The rules that a first attempt needs are in the descriptions: the guide, which has 15,000 characters, is optional.
t.test('the definitions of a role fit into 8,800 characters of compact JSON', async (t) => {
  for (const [role] of roles) {
    const size = JSON.stringify(listToolDefinitions(role)).length;
    t.ok(size <= 8800, `${role}: ${size}`);
  }
});

t.test('inputs are closed objects of JSON Schema', async (t) => {
  for (const [role] of roles) {
    for (const { name, inputSchema, description } of listToolDefinitions(role)) {
      t.match(inputSchema, { type: 'object', additionalProperties: false }, name);
      t.ok(description.length > 40, name);
    }
  }
});

t.test('annotations say which tools change something', async (t) => {
  const changing = ['write_scenario', 'delete_scenario', 'request_run', 'request_suite', 'cancel_run', 'probe_target'];
  for (const { name, annotations } of listToolDefinitions('test')) {
    const changes = changing.includes(name.replace('author__', ''));
    t.equal(annotations.readOnlyHint, !changes, name);
    t.equal(typeof annotations.destructiveHint, changes ? 'boolean' : 'undefined', name);
  }
  t.ok(
    listToolDefinitions('product').every(({ annotations }) => annotations.readOnlyHint),
    'a product agent changes nothing',
  );
});

t.test('a router lists the tools without the SDK and without a client', async (t) => {
  const program = `
    const { listToolDefinitions } = await import('./src/agents/tools/tool-list.ts');
    listToolDefinitions('test');
    const loaded = process.getActiveResourcesInfo ? [...(globalThis.loaded ?? [])] : [];
    console.log(JSON.stringify(loaded));`;
  const hook = `
    import { registerHooks } from 'node:module';
    globalThis.loaded = [];
    registerHooks({ load(url, context, next) { globalThis.loaded.push(url); return next(url, context); } });`;
  const url = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
  const args = ['--import', './test/tsx-hook.mjs', '--import', url(hook), '--input-type=module', '--eval', program];
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  t.ok(
    loaded.some((file) => file.includes('/agents/test-agent/')),
    'what is loaded was seen',
  );
  t.same(
    loaded.filter((file) => /modelcontextprotocol|\/src\/client\//.test(file)),
    [],
  );
});
