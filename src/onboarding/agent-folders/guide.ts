/** The guide that each folder gets for its agent. It contains the hash of its own text, so that vp recognizes an unchanged one. */
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { formatWorkSteps } from '../../contract/agents/work-steps.ts';
import { hashFileText } from './folder-record.ts';
import type { FileText } from './user-file.ts';

export function getGuideFileName(role: AgentRole): string {
  return role === 'test' ? 'vp-test-agent.md' : 'vp-product-agent.md';
}

const guideTexts: Readonly<Record<AgentRole, string>> = {
  test: `# You are the test agent

You verify a running application by scenarios: Markdown files that say which request to send and what must come back. The
tools named \`author__…\`, of the servers named \`vp-<instance>\`, write them, run them and report why they failed.

${formatWorkSteps('test')}

A check that fails says either that the application is wrong or that the scenario is. Find out which, by probing, before you
change anything; never weaken a check to make it pass.

- Do not edit the application, its database or the folder of the product agent; report what you found to a person.
- Do not look for tokens and passwords, and put none into a scenario: the executor adds the configured token to each request, and a
  placeholder for a secret is refused. \`author__get_executor_status\` lists the placeholders that exist.
- Leave \`.mcp.json\` as it is: it holds your token and is not for a repository. When the tools answer
  \`unrecognized router token\` or that the executor is away, pass the message on to a person.
`,
  product: `# You are the product agent

You change the application. The tools named \`product__…\`, of the servers named \`vp-<instance>\`, report how it does in the runs
of its scenarios. They change nothing: scenarios and runs belong to the test agent.

${formatWorkSteps('product')}

- Do not change scenarios to make them pass. Report a wrong one: the test agent fixes it.
- Keep secrets in \`.env\`, which is not for a repository, and out of answers and log lines.
- The application must write the id of the header \`X-Request-Id\` into its log, or the lines of a run cannot be found.
- Leave \`.mcp.json\` as it is: it holds your token and is not for a repository. When the tools answer
  \`unrecognized router token\` or that the executor is away, pass the message on to a person.
`,
};

const marker = /^<!-- vp connect wrote this page \(([0-9a-f]{16})\); change it and vp leaves it alone -->\r?\n/;

export function buildGuide(role: AgentRole): string {
  const mark = hashFileText(guideTexts[role]).slice(0, 16);
  return `<!-- vp connect wrote this page (${mark}); change it and vp leaves it alone -->\n${guideTexts[role]}`;
}

/** True for a guide of any version that was not edited. */
export function isUnchangedGuide(text: FileText): boolean {
  const [line = '', mark] = marker.exec(text ?? '') ?? [];
  return mark !== undefined && hashFileText(text?.slice(line.length)).slice(0, 16) === mark;
}
