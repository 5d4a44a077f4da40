import { createDecisionCommand } from './decision-command.ts';

/** `vp approvals approve`. */
export const approvalsApproveCommand = createDecisionCommand({
  verb: 'approve',
  summary: 'review a call that waits, and approve it once',
  done: 'approved, once',
  note: 'The caller itself cannot approve.',
  examples: [
    ['vp approvals approve acme 856a8c6db20e63981d', 'show the call and its digest'],
    ['vp approvals approve acme 856a8c6db20e63981d --digest Jx…', 'approve exactly what was shown'],
  ],
});
