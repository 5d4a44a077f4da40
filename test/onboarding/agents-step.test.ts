/** The folders of the agents: connected once, and brought back to what connecting left, with the same token. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseAgentToken } from '../../src/contract/agents/agent-token.ts';
import type { OnboardingContext } from '../../src/onboarding/context.ts';
import { agentsStep } from '../../src/onboarding/steps/agents.ts';
import { createTestMachine } from './onboarding-machine.ts';

const toolCounts = { test: 16, product: 6 } as const;

/** Two connected folders of the instance `shop`. */
async function createConnectedMachine(t: Test) {
  const { folder, run, client } = await createTestMachine(t, {
    ports: {
      async countTools(_, token) {
        const role = parseAgentToken(token)?.role;
        return role === undefined ? 0 : toolCounts[role];
      },
    },
  });
  await client.instances.create({ instance_id: 'shop' });
  const nextRun = (): OnboardingContext => run({ state: { instanceId: 'shop', client } });
  await agentsStep.act?.(nextRun());
  t.match(await agentsStep.check(nextRun()), { state: 'done', detail: 'test agent 16 tools, product agent 6 tools' });
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return { folder, read, nextRun };
}

t.test('a line of .gitignore and an enabled server that are gone come back, with the same token', async (t) => {
  const { folder, read, nextRun } = await createConnectedMachine(t);
  const entry = read('test/.mcp.json');
  rmSync(join(folder, 'test/.gitignore'));
  t.match(await agentsStep.check(nextRun()), { state: 'todo', detail: /\.gitignore/ });
  t.match(await agentsStep.act?.(nextRun()), { shortfall: undefined });
  t.match(read('test/.gitignore'), /^\/\.mcp\.json$/m);
  writeFileSync(join(folder, 'product/.claude/settings.local.json'), '{}\n');
  t.match(await agentsStep.check(nextRun()), { state: 'todo', detail: /settings\.local\.json/ });
  await agentsStep.act?.(nextRun());
  t.match(read('product/.claude/settings.local.json'), /vp-shop/);
  t.match(await agentsStep.check(nextRun()), { state: 'done' });
  t.equal(read('test/.mcp.json'), entry, 'agents that run keep their access');
});

t.test('a token that git tracks makes the outcome partial, with the fix', async (t) => {
  const { folder, nextRun } = await createConnectedMachine(t);
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', join(folder, 'test'), ...args]);
  git('init', '--quiet');
  git('add', '--force', '.mcp.json');
  t.match(await agentsStep.check(nextRun()), { state: 'todo', detail: /tracked by git|git tracks/ });
  t.match(await agentsStep.act?.(nextRun()), {
    shortfall: { reason: /\.mcp\.json/, cure: /git -C \S+ rm --cached \.mcp\.json/, passes: false },
  });
});
