/** What agents are told: only tools and placeholders that they have, in one order everywhere. */
import t from 'tap';
import { listGuideTopics } from '../../src/agents/test-agent/guide-topics.ts';
import { findNextStepAfterError, toAgentFix } from '../../src/agents/tools/next-step.ts';
import { listToolDefinitions } from '../../src/agents/tools/tool-list.ts';
import type { AgentRole } from '../../src/contract/agents/agent-token.ts';
import { formatWorkSteps } from '../../src/contract/agents/work-steps.ts';
import { type ErrorCode, errorTable } from '../../src/errors/table.ts';
import { buildGuide } from '../../src/onboarding/agent-folders/guide.ts';

const roles: readonly AgentRole[] = ['test', 'product'];
const toolName = /\b(?:author|product)__\w+/g;
const command = /\bvp [a-z-]+/;

function listTexts(role: AgentRole): [name: string, text: string][] {
  const definitions = listToolDefinitions(role).map(({ name, description }): [string, string] => [name, description]);
  // The first line is for `vp connect`, which recognizes its own page by it.
  const guide: [string, string] = ['the page in the folder', buildGuide(role).split('\n').slice(1).join('\n')];
  const topics = role === 'test' ? listGuideTopics().map(({ name, text }): [string, string] => [name, text]) : [];
  return [guide, ...definitions, ...topics];
}

for (const role of roles) {
  t.test(`every tool that the ${role} agent is told of is one of its own`, async (t) => {
    const known = new Set(listToolDefinitions(role).map(({ name }) => name));
    for (const [source, text] of listTexts(role)) {
      const unknown = (text.match(toolName) ?? []).filter((name) => !known.has(name));
      t.same(unknown, [], source);
    }
  });

  t.test(`the ${role} agent is told of no command`, async (t) => {
    for (const [source, text] of listTexts(role)) t.notMatch(text, command, source);
  });

  t.test(`the guides of the ${role} agent have the same steps`, async (t) => {
    t.ok(buildGuide(role).includes(formatWorkSteps(role)));
    if (role === 'test')
      t.ok(
        listGuideTopics()
          .find(({ name }) => name === 'work')
          ?.text.includes(formatWorkSteps(role)),
      );
  });

  t.test(`no fix of an error sends the ${role} agent to a command that it does not have`, async (t) => {
    const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);
    for (const [code, { cure }] of Object.entries(errorTable)) {
      if (!isCode(code)) continue;
      const fix = toAgentFix(cure, findNextStepAfterError(code, role));
      if (/`vp /.test(fix)) t.match(fix, /^ask a person to do this: /, code);
    }
  });
}

t.test('no guide promises placeholders for secrets', async (t) => {
  for (const role of roles) for (const [source, text] of listTexts(role)) t.notMatch(text, 'API_TOKEN', source);
});

t.test('the title rule is stated where scenarios are written', async (t) => {
  const definitions = listToolDefinitions('test');
  for (const name of ['author__write_scenario'])
    t.match(
      definitions.find((definition) => definition.name === name)?.description,
      '# Scenario: <METHOD> <name>',
      name,
    );
  t.match(
    listGuideTopics().find(({ name }) => name === 'sections')?.text,
    'The title is `# Scenario: <METHOD> <name>`',
  );
});
