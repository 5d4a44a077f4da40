/** Refusals because of a definition, which no rule of the policy changes. */
import type { PolicyRefusal } from './call-policy.ts';

const approvalCure = 'ask an owner of the hub to review and approve it';

function createUnapprovedRefusal(subject: string): PolicyRefusal {
  const reason = `the definition of this ${subject} changed, is new or is suspicious, and no owner of the hub has approved it yet`;
  return { reason, cure: approvalCure };
}

export const definitionRefusals = {
  unknownTool: {
    reason: 'the connection never listed this tool, so its definition is unknown',
    cure: 'list the tools of the hub and call one of them',
  },
  tool: createUnapprovedRefusal('tool'),
  prompt: createUnapprovedRefusal('prompt'),
  resource: createUnapprovedRefusal('resource'),
  template: createUnapprovedRefusal('resource template'),
} as const satisfies Readonly<Record<string, PolicyRefusal>>;

const reasons: ReadonlySet<string> = new Set(Object.values(definitionRefusals).map(({ reason }) => reason));

export function isDefinitionReason(reason: string | null): boolean {
  return reason !== null && reasons.has(reason);
}
