/** JSON and YAML in the documentation: each example is read by the code that reads such a file, or compared with what vp writes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import t, { type Test } from 'tap';
import { parse as parseYaml, stringify } from 'yaml';
import { parseHubFile } from '../../src/commands/hubs/as-code/hub-file-text.ts';
import { readScheduleFile } from '../../src/commands/scenarios/schedule-file.ts';
import { HubPolicyDocument } from '../../src/contract/hubs/policy-api.ts';
import { NotificationChange } from '../../src/contract/notifications-api.ts';
import { readPage, readSections } from '../../src/documentation/pages.ts';
import { compilePolicy } from '../../src/hub/policy/compiled-policy.ts';
import { readOperatorCommands } from '../../src/hub/upstream/commands/operator-commands.ts';
import { isObject } from '../../src/json/json-object.ts';
import { formatBody } from '../../src/notifications/format-message.ts';
import { parseProject } from '../../src/project/parse-project.ts';

type Example = { readonly page: string; readonly text: string; readonly value: unknown };

/** Blocks with the language json or yaml, and indented blocks that begin like an object of one of them. */
function listExamples(page: string): Example[] {
  const text = readPage({ name: page });
  const fenced = [...text.matchAll(/^```(?:json|yaml)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const outside = text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '');
  const indented = [...outside.matchAll(/(?<=\n\n)(?: {4}(?:\{|\w+:\n)[^\n]*\n?(?: {4}[^\n]*\n|\n(?= {4}))*)/g)];
  const blocks = [...fenced, ...indented.map(([block]) => block.replaceAll(/^ {4}/gm, ''))];
  return blocks.map((block) => ({ page, text: block, value: parseYaml(block) }));
}

const examples = readSections()
  .flatMap(({ pages }) => pages)
  .flatMap(({ name }) => listExamples(name));

/** A part of `platform-config.yaml` is completed by what every config has. */
function findConfigProblems(value: object): readonly string[] {
  const complete = { project: { name: 'app' }, targets: { http: { base_url: 'http://app:3100' } }, ...value };
  const configText = stringify(complete);
  const names = new Set([...configText.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name));
  const envText = [...names].map((name) => `${name}=value-of-the-test\n`).join('');
  const problems: string[] = [];
  parseProject({ configText, envText }, {}, ({ code, message }) => problems.push(`${code}: ${message}`));
  return problems;
}

/** Asserts of an example what its kind promises; the key is a member that only this kind has. */
const readers: Readonly<Record<string, (t: Test, value: Record<string, unknown>, text: string) => void>> = {
  $schema: (t, { title }) => t.type(title, 'string', 'generated, and tested with its page'),
  hub: (t, _value, text) => void t.doesNotThrow(() => parseHubFile(text, 'hub.yaml')),
  schedules: (t, _value, text) => {
    writeFileSync(join(t.testdir(), 'schedules.yaml'), text);
    t.ok(readScheduleFile([join(t.testdirName, 'schedules.yaml')], t.testdirName)?.schedules.length);
  },
  commands: (t, _value, text) => {
    writeFileSync(join(t.testdir(), 'commands.json'), text);
    t.ok(readOperatorCommands(join(t.testdirName, 'commands.json')).size);
  },
  data: (t, value) => {
    const { url, ...change } = value.data as Record<string, unknown>;
    const { origin, pathname } = new URL(String(url));
    const sent = Value.Decode(NotificationChange, { ...change, path: pathname });
    t.same(value, JSON.parse(formatBody('webhook', { id: 'msg', changes: [sent], address: origin })));
  },
  verify: (t, { verify }) => t.match(verify, { image: String, script: [String] }, 'a job of GitLab'),
  jobs: (t, { jobs }) => t.match(jobs, { verify: { 'runs-on': String, steps: Array } }, 'a workflow of GitHub'),
};
const policyMembers = Object.keys(HubPolicyDocument.properties);
const configMembers = ['targets', 'observability', 'scenarios'];

function assertPolicy(t: Test, value: Record<string, unknown>): void {
  if (!Value.Check(HubPolicyDocument, value))
    return void t.same(
      [...Value.Errors(HubPolicyDocument, value)].map(({ path, message }) => [path, message]),
      [],
    );
  t.doesNotThrow(() => compilePolicy(value));
}

for (const [index, { page, text, value }] of examples.entries()) {
  t.test(`example ${index + 1}, in ${page}, is what vp reads or writes`, async (t) => {
    if (!isObject(value)) return t.fail(`it is no object: ${text}`);
    const kind = Object.keys(value).find((member) => readers[member]);
    if (kind !== undefined) readers[kind]?.(t, value, text);
    else if (configMembers.some((member) => member in value)) t.same(findConfigProblems(value), []);
    else if (policyMembers.some((member) => member in value)) assertPolicy(t, value);
    else t.fail(`nothing is known that reads it: ${text}`);
  });
}

t.test('examples of each kind are found', async (t) => {
  const members = new Set(examples.flatMap(({ value }) => Object.keys(Object(value))));
  const kinds = [...Object.keys(readers), ...configMembers, 'approvals', 'budgets'];
  t.same(
    kinds.filter((kind) => !members.has(kind)),
    [],
  );
});
