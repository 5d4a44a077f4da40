import { Select } from '../../components/select.tsx';
import type { ConnectionDraftProps } from './connection-target.tsx';

/** As people read it. */
export const protocolLabels = {
  auto: 'the newest that the server has',
  newest: '2026-07-28 only',
  older: 'revisions before 2026-07-28, with sessions',
} as const;

const options = [
  ['auto', protocolLabels.auto],
  ['newest', protocolLabels.newest],
  ['older', protocolLabels.older],
] as const;

/** Chooses the revisions of MCP, for a server that has several and serves one of them better. */
export function ProtocolField({ draft: { protocol }, onChange }: Omit<ConnectionDraftProps, 'isNew'>) {
  return (
    <Select
      label="Protocol"
      value={protocol}
      options={options}
      onSelect={(nextProtocol) => onChange({ protocol: nextProtocol })}
    />
  );
}
