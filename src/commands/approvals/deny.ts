import { createDecisionCommand } from './decision-command.ts';

/** `vp approvals deny`. */
export const approvalsDenyCommand = createDecisionCommand({
  verb: 'deny',
  summary: 'review a call that waits and deny it, or take back an unused approval',
  done: 'denied',
  note: 'The same call is denied until the request expires.',
  examples: [
    ['vp approvals deny acme 856a8c6db20e63981d', 'show the call and its digest'],
    ['vp approvals deny acme 856a8c6db20e63981d --digest Jx… --comment "not on Fridays"', 'deny what was shown'],
  ],
});
