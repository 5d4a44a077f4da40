/** Approvals as people see them. */
import type { HubApproval, HubApprovalDetails } from '../../contract/hubs/approvals-api.ts';
import { parseExactJson } from '../../json/exact-json.ts';
import { countHiddenCharacters, toVisibleLines, toVisibleSummary } from '../../json/visible-text.ts';
import type { ApprovalRow } from '../../store/control/hubs/approvals.ts';
import { parseSubject } from './approval-record.ts';

const toTimestamp = (ms: number): string => new Date(ms).toISOString();
const toTimestampOrNull = (ms: number | null): string | null => (ms === null ? null : toTimestamp(ms));

export function toHubApproval(row: ApprovalRow, mayDecide: boolean): HubApproval {
  const { person, role, via, via_name, client } = parseSubject(row);
  return {
    approval: row.id,
    state: row.state,
    connection: row.connection,
    tool: row.tool,
    person_id: row.person_id,
    person,
    role,
    via,
    via_name,
    client,
    arguments_preview: toArgumentsPreview(row),
    requested_at: toTimestamp(row.requested_at_ms),
    expires_at: toTimestamp(row.expires_at_ms),
    decided_at: toTimestampOrNull(row.decided_at_ms),
    decided_by: row.decided_by,
    comment: row.comment,
    ended_at: toTimestampOrNull(row.ended_at_ms),
    may_decide: mayDecide,
  };
}

/** `callText` is undefined if the reader may not see the call, or it is erased. */
export function toApprovalDetails(
  row: ApprovalRow,
  mayDecide: boolean,
  callText: string | undefined,
  earlier: readonly ApprovalRow[],
): HubApprovalDetails {
  const lines = callText === undefined ? toStoredLines(row) : toCallLines(callText);
  return {
    ...toHubApproval(row, mayDecide),
    digest: row.call_digest,
    pin: parseSubject(row).pin,
    policy_revision: row.policy_revision,
    lines,
    is_complete: callText !== undefined,
    marks: [...countHiddenCharacters(lines)].map(([character, count]) => ({ character, count })),
    earlier: earlier.map(({ id, state, decided_at_ms, decided_by, call_digest }) => ({
      approval: id,
      state,
      decided_at: toTimestampOrNull(decided_at_ms),
      decided_by,
      is_same_call: call_digest === row.call_digest,
    })),
  };
}

/** All that the server would get, with its numbers as they would be sent. */
function toCallLines(callText: string): string[] {
  return toVisibleLines(parseExactJson(callText) ?? JSON.parse(callText));
}

const maxPreviewLength = 160;

/** Of the stored arguments only: the policy may hide parts of a call from everybody but those who open it to decide it. */
function toArgumentsPreview({ stored_arguments: stored }: ApprovalRow): string | null {
  return stored === null ? null : toVisibleSummary(JSON.parse(stored), maxPreviewLength);
}

function toStoredLines({ stored_arguments: stored }: ApprovalRow): string[] {
  return stored === null ? [] : toVisibleLines({ arguments: JSON.parse(stored) });
}
