/** Errors of the audit, policies and memory of hubs. */
import { broken, conflict, invalid, missing, unready, withStatus } from './row.ts';

const denied = withStatus(403);

/** Area: hub governance. */
export const hubGovernanceErrors = {
  AUDIT_UNAVAILABLE: unready(
    'calls are refused because they could not be written to the audit: {{problem}}',
    'free space on the disk of the data folder; calls resume by themselves within seconds',
  ),
  AUDIT_DAMAGED: broken(
    'entry {{seq}} of the audit cannot be read',
    'run `vp audit verify` to see which entries were altered, and restore the audit from a copy',
  ),
  POLICY_INVALID: invalid(
    'the policy is not valid: {{where}} {{problem}}',
    'correct it; `document` of GET …/policy shows what a policy looks like',
  ),
  POLICY_REVISION_OTHER: conflict(
    'the hub has policy revision {{found}}, not {{expected}}',
    'read it again, apply the change to the current policy, and send its revision',
  ),
  TOOL_PIN_UNKNOWN: missing(
    'the hub does not know a tool {{tool}} of the connection {{connection}}',
    'see the list of tools for the known ones',
  ),
  TOOL_PIN_CHANGED: conflict(
    'the definition of {{tool}} differs from the one that was approved here, or is no longer waiting for approval',
    'review the difference again and approve the current definition',
  ),
  MEMORY_UNKNOWN: missing('nothing is remembered under {{id}}', '`list` and `recall` show the ids of stored memories'),
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
