/** What the row of a call holds whatever its outcome: computed while the server works, it delays no answer. */
import type { AttestedCall } from '../../contract/hubs/audit-api.ts';
import type { AuditEntryRow } from '../../store/audit/entries.ts';

export type ArgumentDigests = Pick<AttestedCall, 'arguments_digest' | 'kept_digest'>;

/** Members of the attested JSON. */
export type CallTexts = Pick<
  AttestedCall,
  | 'hub_id'
  | 'hub'
  | 'person_id'
  | 'person'
  | 'role'
  | 'via'
  | 'via_id'
  | 'via_name'
  | 'client'
  | 'client_version'
  | 'method'
  | 'connection_id'
  | 'connection'
  | 'tool'
  | 'request_id'
>;

/** Columns derived from {@link CallTexts}. */
export type CallKeys = Pick<AuditEntryRow, 'person_key' | 'via_key' | 'connection_key' | 'tool_key' | 'request_key'>;

export type PreparedParts = {
  readonly salt: Uint8Array;
  readonly storedArguments: string | null;
  readonly digests: ArgumentDigests;
  readonly texts: CallTexts;
  readonly keys: CallKeys;
};
