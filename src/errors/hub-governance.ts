/** Errors of the audit, policies and memory of hubs. */
import { conflict, invalid, localFailure, notFound, notReady, warning, withStatus } from './row.ts';

const denied = withStatus(403);
const rateLimited = withStatus(429);

export const hubGovernanceErrors = {
  AUDIT_UNAVAILABLE: notReady(
    'calls are refused because they could not be written to the audit: {{problem}}',
    'free space on the disk of the data folder; calls resume by themselves within seconds',
  ),
  AUDIT_LOST: localFailure(
    'the audit log {{file}} lacks entries that the control plane has noted: {{problem}}',
    'put the file back, or the one of the newest backup with `vp restore <file>`; to go on without them, start `vp serve --accept-audit-loss` once, which records the loss',
  ),
  AUDIT_CALLS_UNUSABLE: warning(
    '{{count}} of the recorded calls do not continue the audit and are left out; {{file}} has them',
    'after a power cut this is expected for calls of the last second; otherwise an earlier version wrote to the audit meanwhile, or somebody changed the file',
  ),
  AUDIT_CALLS_PENDING: warning(
    'calls that the audit has recorded are not in its tables yet: {{problem}}',
    '`vp serve` on the folder adds them when it starts, or when it can write there again',
  ),
  AUDIT_KEY_UNUSABLE: invalid(
    'the audit key {{file}} cannot be used: {{problem}}',
    'create one with `vp audit key <file>`, or name the right file',
  ),
  AUDIT_KEY_UNAVAILABLE: notReady(
    'the audit key {{key}} does not sign: {{problem}}',
    'unlock the agent, add the key again, or repair the command; the next statement contains what could not be signed',
  ),
  AUDIT_TIMESTAMP_FAILED: notReady(
    'no valid time stamp of the audit came from {{server}}: {{problem}}',
    'see whether the server is reachable, and whether --audit-tsa-ca has the roots of its certificates; the next statement contains what was not stamped',
  ),
  AUDIT_ANCHOR_FAILED: notReady(
    'the audit could not be anchored at {{target}}: {{problem}}',
    'see whether it can be written or reached; the next anchor contains this one',
  ),
  AUDIT_DAMAGED: localFailure(
    'entry {{seq}} of the audit cannot be read',
    'run `vp audit verify` to see which entries were altered, and restore the audit from a copy',
  ),
  POLICY_INVALID: invalid(
    'the policy is not valid: {{where}} {{problem}}',
    'correct it; `document` of GET …/policy shows what a policy looks like',
  ),
  POLICY_REVISION_OTHER: conflict(
    'the hub has policy revision {{found}}, not {{expected}}',
    'read it again, apply the change to the current policy, and send its revision; `diagnostics` has the policy in force and the one that the change was made from',
  ),
  POLICY_TOOL_UNKNOWN: conflict(
    'no connection of the hub has listed a tool {{tools}}',
    'correct the names; for tools that are still to come, confirm them: `accept_unknown_tools` in the request',
  ),
  POLICY_CALLER_UNKNOWN: conflict(
    'the hub does not know {{callers}}',
    'correct the names or use ids; to name people, tokens or clients that are still to come, confirm them: `accept_unknown_callers` in the request',
  ),
  TOOL_PIN_UNKNOWN: notFound(
    'the connection {{connection}} has no known definition of {{tool}}',
    '`vp hubs tools <hub>` and the console (*Tools*) list the known ones; `vp hubs probe <hub> {{connection}}` reads what the server offers now',
  ),
  TOOL_PIN_CHANGED: conflict(
    'the definition of {{tool}} that waits for approval is not the one with this digest: it has changed since, or the digest is another one',
    'review what waits now, and take its digest: `vp hubs approve <hub> <connection> <name>` shows both, and so does *Tools* in the console',
  ),
  TOOL_PIN_APPROVED: conflict(
    'the definition of {{tool}} is approved as its server last listed it, so none waits for approval',
    'nothing is left to approve or verify; `vp hubs probe <hub> <connection>` reads what the server offers now, and holds what has changed',
  ),
  TOOL_PIN_TOO_LARGE: conflict(
    'the definition of {{tool}} is too large or nested too deep to be reviewed, so it cannot be approved',
    'ask whoever runs its server to shorten it to 256 KiB and 64 levels',
  ),
  HUB_LISTENERS_LIMITED: rateLimited(
    'in this hub, {{subject}} {{what}} at once',
    'close those that are not needed; owners of the hub change the limits in its policy (`listeners`)',
  ),
  HUB_CHANGE_REFUSED: conflict(
    'change {{number}} of {{count}} was refused, and none was made: {{problem}} ({{code}})',
    '{{cure}}',
  ),
  HUB_BUDGET_USED_UP: rateLimited(
    'the budget of {{whose}} for this {{period}} is used up: {{used}}',
    'wait until {{resets_at}}, when the next {{period}} begins, or ask an owner of the hub to change `{{where}}` in its policy',
  ),
  HUB_APPROVAL_PENDING: conflict(
    'this call waits for the approval {{approval}}',
    'when it is approved, make the same call again with exactly the same arguments before {{until}}; it is sent once then',
  ),
  HUB_APPROVAL_DENIED: denied(
    'this call was denied by {{approver}}{{comment}}',
    'do something else; the same call can request an approval again from {{until}}',
  ),
  HUB_APPROVAL_VOID: conflict(
    'the approval {{approval}} does not hold for this call: {{problem}}',
    'make the call again, which asks for a new approval',
  ),
  HUB_APPROVER_MISSING: conflict(
    'this call needs an approval, and no member of the hub may give it to you',
    'people cannot approve their own calls: ask an owner of the hub to add another owner, or to name other approvers in its policy (`approvals`)',
  ),
  HUB_APPROVALS_LIMITED: rateLimited(
    '{{subject}} already waits for {{max}} approvals',
    'wait until they are decided, or cancel some of the calls',
  ),
  HUB_APPROVAL_TOO_LARGE: conflict(
    'this call needs an approval, and its arguments are too large to be reviewed',
    'call the tool with less than 256 KiB',
  ),
  HUB_APPROVAL_WEBHOOK_FAILED: notReady(
    'the webhook {{target}} does not know of a call that waits for an approval: {{problem}}',
    'see whether it can be reached; the call is in the console under Approvals',
  ),
  HUB_APPROVAL_UNKNOWN: notFound(
    'the hub has no approval {{approval}} that you may see',
    '`vp approvals list <hub>` shows those that you may decide',
  ),
  HUB_APPROVAL_ENDED: conflict(
    'the approval {{approval}} can no longer be decided: it is {{state}}',
    'there is nothing to do; `vp approvals list <hub> --all` shows what became of it',
  ),
  HUB_APPROVAL_CHANGED: conflict(
    'the approval {{approval}} is for another call than the one with this digest',
    'look at the call again and decide with the digest that is shown',
  ),
  HUB_APPROVAL_FORM_ENDED: conflict(
    'nothing was decided about the approval {{approval}}: its form was not answered, because {{problem}}',
    'call decide_approval again when the person is there, or let them decide at {{url}}',
  ),
  HUB_APPROVER_INVALID: denied(
    'you may not decide the approval {{approval}}: {{problem}}',
    'ask one of the approvers that the policy of the hub names',
  ),
  MEMORY_UNKNOWN: notFound('nothing is remembered under {{id}}', '`list` and `recall` show the ids of stored memories'),
  MEMORY_NOT_YOURS: denied(
    'this was remembered by {{author}}, and only they and owners of the hub can change it',
    'remember something new, or ask them',
  ),
  MEMORY_READ_ONLY: denied(
    'viewers of a hub can read its shared memories but not add to them',
    'remember it in the scope `user`, or ask an owner of the hub for another role',
  ),
  MEMORY_FULL: conflict(
    'the memory is full: at most {{max}} are stored here',
    'forget memories that are no longer needed; `list` shows them',
  ),
  MEMORY_INPUT_INVALID: invalid('this cannot be done: {{problem}}', 'correct it and call again'),
} as const;
