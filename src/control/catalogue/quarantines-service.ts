import type { Quarantine, SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import type { Actor } from '../list-types.ts';

/** Methods throw INSTANCE_UNKNOWN; those of one scenario throw SCENARIO_UNKNOWN and SCENARIO_DELETED too. */
export type QuarantinesService = {
  /** Those in effect; the ones that end first come first. */
  list(instance: string): Promise<Quarantine[]>;
  /** Replaces an earlier one. Throws QUARANTINE_INVALID. */
  set(instance: string, scenario: string, input: SetQuarantineRequest, actor: Actor): Promise<Quarantine>;
  /** Throws QUARANTINE_ABSENT. */
  release(instance: string, scenario: string): Promise<void>;
};
