/** A held call on a terminal. What others wrote cannot control the terminal. */
import type { HubApprovalDetails } from '../../contract/hubs/approvals-api.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

export function formatApproval(approval: HubApprovalDetails): string {
  const { marks, earlier, is_complete: isComplete, lines } = approval;
  const markTexts = marks.map(({ character, count }) => `${character} ×${count}`);
  const all = [
    ...formatFacts(approval),
    '',
    isComplete ? 'The server would get:' : 'What the audit stores of the call:',
    ...lines.map((line) => `  ${line}`),
    ...(markTexts.length > 0 ? [`! marked characters: ${markTexts.join(', ')}`] : []),
    ...(earlier.length > 0 ? ['', 'Earlier calls of this tool by this person:'] : []),
    ...earlier.map(
      ({ decided_at: at, decided_by: name, state: outcome, is_same_call: isSame }) =>
        `  ${at ?? ''} ${outcome}, decided by ${name ?? ''}${isSame ? ', the same arguments' : ''}`,
    ),
  ];
  return `${all.map(escapeUnsafeLine).join('\n')}\n`;
}

function formatFacts(approval: HubApprovalDetails): string[] {
  const { connection, tool, person, role, via, via_name: viaName, client, state, decided_by: decidedBy } = approval;
  const { comment, requested_at: requestedAt, expires_at: expiresAt, policy_revision: revision, pin } = approval;
  const note = comment === null || comment === '' ? '' : `: ${comment}`;
  return [
    `${connection}__${tool}`,
    `person      ${person} (${role})`,
    `via         ${via}${viaName === null ? '' : ` ${viaName}`}`,
    `client      ${client ?? 'not stated'}`,
    `state       ${state}${decidedBy === null ? '' : `, decided by ${decidedBy}${note}`}`,
    `requested   ${requestedAt}`,
    `expires     ${expiresAt}`,
    `definition  ${pin}`,
    `policy      revision ${revision}`,
  ];
}

/** For readers who may decide; else empty. Apart from the call, in which no command is completed. */
export function formatDecisions(
  hub: string,
  { approval, digest, state, may_decide: mayDecide }: HubApprovalDetails,
): string {
  if (!mayDecide) return '';
  const denial = `\`vp approvals deny ${hub} ${approval} --digest ${digest}\``;
  if (state !== 'pending') return `\nTake it back: ${denial}\n`;
  return `\nApprove exactly this call, once: \`vp approvals approve ${hub} ${approval} --digest ${digest}\`\nDeny it: ${denial}\n`;
}
