import type { HubTool } from '../../../contract/hub-policy-api.ts';
import { Problem } from '../../parts/problem.tsx';
import { useConnection } from '../../session/connection.ts';
import { useChange } from '../use-change.ts';

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

type HeldToolProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

/** What changed in a definition that is held back, and the button of owners that approves exactly that. */
export function HeldTool({ hub, tool, mayChange }: HeldToolProps) {
  const { hubPolicy } = useConnection();
  const { connection, tool: name, waiting_digest: digest, difference } = tool;
  const approve = useChange('hub-tools', (wanted: string) =>
    hubPolicy.approveTool(hub, { connection, tool: name, digest: wanted }),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="diff" aria-label={`What changed in ${name}`} tabIndex={0}>
        {difference.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
          <div key={index} className={`diff-line is-${kinds[line.charAt(0)] ?? 'same'}`}>
            <span className="line-number">{index + 1}</span>
            <span className="diff-sign">{line.charAt(0)}</span>
            <code>{line.slice(1)}</code>
          </div>
        ))}
      </section>
      {mayChange && digest !== null ? (
        <footer className="actions">
          <button type="button" className="strong" disabled={approve.isPending} onClick={() => approve.mutate(digest)}>
            Approve as it is now
            <span className="unseen"> {name}</span>
          </button>
          <span className="faint">Nobody can call it before. To keep it away for good, deny it in the policy.</span>
        </footer>
      ) : (
        <p className="faint">Nobody can call it before an owner of the hub approves the difference.</p>
      )}
      {approve.error ? <Problem error={approve.error} /> : null}
    </>
  );
}
