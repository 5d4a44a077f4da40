import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';

const lineKinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

type ToolApprovalProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

/** Approves exactly the displayed difference: the digest names the definition that was reviewed. */
export function ToolApproval({ hub, tool, mayChange }: ToolApprovalProps) {
  const { hubPolicy } = useClient();
  const { connection, tool: name, waiting_digest: digest, difference } = tool;
  const approve = useInvalidatingMutation('hub-tools', (approvedDigest: string) =>
    hubPolicy.approveTool(hub, { connection, tool: name, digest: approvedDigest }),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <section className="diff" aria-label={`Changes in ${name}`} tabIndex={0}>
        {difference.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of lines never changes
          <div key={index} className={`diff-line is-${lineKinds[line.charAt(0)] ?? 'same'}`}>
            <span className="line-number">{index + 1}</span>
            <span className="diff-sign">{line.charAt(0)}</span>
            <code>{line.slice(1)}</code>
          </div>
        ))}
      </section>
      {mayChange && digest !== null ? (
        <footer className="actions">
          <button type="button" className="strong" disabled={approve.isPending} onClick={() => approve.mutate(digest)}>
            Approve changes
            <span className="unseen"> {name}</span>
          </button>
          <span className="faint">Until then nobody can call it. To block it permanently, deny it in the policy.</span>
        </footer>
      ) : (
        <p className="faint">Nobody can call it until an owner of the hub approves the changes.</p>
      )}
      {approve.error ? <ErrorNotice error={approve.error} /> : null}
    </>
  );
}
