import { formatDuration } from '../../../report/measures.ts';
import type { Report } from '../../../report/report.ts';
import { toTimingPhases } from './timing-phases.ts';

/** The phases of a run as bars on a shared time axis. */
export function TimingView({ report }: { report: Report }) {
  const phases = toTimingPhases(report.timings);
  const endMs = Math.max(0.001, phases.at(-1)?.endMs ?? 0);
  return (
    <table className="timing">
      <caption className="visually-hidden">Timing</caption>
      <tbody>
        {phases.map(({ name, startMs, endMs: phaseEndMs }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="timing-duration">{formatDuration(phaseEndMs - startMs)}</td>
            <td className="timing-bar" aria-hidden="true">
              <svg width="100%" height="12" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={`${(startMs / endMs) * 100}%`}
                  width={`max(2px, ${((phaseEndMs - startMs) / endMs) * 100}%)`}
                  height="12"
                />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">total</th>
          <td className="timing-duration">{formatDuration(endMs)}</td>
          <td />
        </tr>
      </tfoot>
    </table>
  );
}
