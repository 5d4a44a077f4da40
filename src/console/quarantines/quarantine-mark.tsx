import { describeQuarantine, formatQuarantineEnd, type RunQuarantine } from '../../run/quarantine.ts';

/** Beside a result: it is what it says, and does not count if it is a failure. Nothing without a quarantine. */
export function QuarantineMark({ quarantine }: { readonly quarantine: RunQuarantine | undefined }) {
  return quarantine === undefined ? null : (
    <span className="badge" title={describeQuarantine(quarantine)}>
      in quarantine until {formatQuarantineEnd(quarantine.until)}
    </span>
  );
}
