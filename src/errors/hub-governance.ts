/** Errors of the audit and the policies of hubs, and of memory. */
import { answering, broken, conflict, invalid, missing, unready } from './row.ts';

const denied = answering(403);

/** Area: hub governance. */
export const hubGovernanceErrors = {
  AUDIT_UNAVAILABLE: unready(
    'calls are refused because they could not be written to the audit: {{problem}}',
    'free space on the disk of the data folder; calls go on by themselves within seconds',
  ),
  AUDIT_DAMAGED: broken(
    'entry {{seq}} of the audit cannot be read',
    'run `vp audit verify` to see which entries were altered, and restore the audit from a copy',
  ),
  POLICY_INVALID: invalid(
    'the policy cannot be used: {{where}} {{problem}}',
    'correct it; `document` of GET …/policy shows what a policy looks like',
  ),
  POLICY_REVISION_OTHER: conflict(
    'the hub has policy revision {{found}}, not {{wanted}}',
    'read it again, make the change on what is there now, and send its revision',
  ),
  TOOL_PIN_UNKNOWN: missing(
    'the hub knows no tool {{tool}} of the connection {{connection}}',
    'the list of tools names those that it has seen',
  ),
  TOOL_PIN_CHANGED: conflict(
    'the definition of {{tool}} is not the one that was approved here, or none waits any more',
    'look at the difference again and approve what is there now',
  ),
  MEMORY_UNKNOWN: missing('nothing is remembered under {{id}}', '`list` and `recall` tell the ids of what is there'),
  MEMORY_NOT_YOURS: denied(
    'this was remembered by {{author}}, and only they and owners of the hub change it',
    'remember something new, or ask them',
  ),
  MEMORY_READ_ONLY: denied(
    'viewers of a hub read what it shares and do not add to it',
    'remember it in the scope `user`, or ask an owner of the hub for another role',
  ),
  MEMORY_FULL: conflict(
    'there is no room: at most {{most}} are kept here',
    'forget what is not needed any more; `list` tells what is there',
  ),
  MEMORY_INPUT_INVALID: invalid('this cannot be done: {{problem}}', 'correct it and call again'),
} as const;
