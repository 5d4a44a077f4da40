/** Errors of the audit and the policies of hubs, and of memory. */
import { broken, unready } from './row.ts';

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
} as const;
