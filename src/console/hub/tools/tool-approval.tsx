import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { DiffLineView } from '../../components/diff-view.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount } from '../../text/format.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import { ToolVerification } from './tool-verification.tsx';

const lineKinds: Readonly<Record<string, 'added' | 'removed'>> = { '+': 'added', '-': 'removed' };

type ToolApprovalProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

/** Characters that cannot be seen stand as marks in the text. */
function MarkedText({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the order of parts never changes
  return text.split(/(⟦[^⟧]*⟧)/u).map((part, index) => (part.startsWith('⟦') ? <mark key={index}>{part}</mark> : part));
}

export function DefinitionLines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="diff" aria-label={label} tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of lines never changes
        <DiffLineView key={index} kind={lineKinds[line.charAt(0)] ?? 'same'} number={index + 1}>
          <MarkedText text={line.slice(2)} />
        </DiffLineView>
      ))}
    </section>
  );
}

function describeMarks(marks: HubTool['marks']): string {
  return marks.map(({ character, count }) => `${character} ${formatCount(count, 'time')}`).join(', ');
}

/** Shows both definitions whole; the digest of the approval names the definition that was reviewed. */
export function ToolApproval({ hub, tool, mayChange }: ToolApprovalProps) {
  const { hubPolicy } = useClient();
  const { connection, kind, tool: name, approved, waiting_digest: digest, difference, marks } = tool;
  const approve = useInvalidatingMutation('hub-tools', (approvedDigest: string) =>
    hubPolicy.approveTool(hub, { connection, kind, tool: name, digest: approvedDigest }),
  );
  return (
    <>
      {marks.length === 0 ? null : (
        <p className="help">Characters that cannot be seen, or look like others, are marked: {describeMarks(marks)}.</p>
      )}
      <DefinitionLines label={`${approved === null ? 'Definition of' : 'Changes in'} ${name}`} lines={difference} />
      {mayChange && kind === 'tool' && digest !== null ? (
        <ToolVerification hub={hub} connection={connection} tool={name} digest={digest} />
      ) : null}
      <ApprovalNote
        name={name}
        mayChange={mayChange}
        isNew={approved === null}
        isPending={approve.isPending}
        onApprove={digest === null ? undefined : () => approve.mutate(digest)}
      />
      {approve.error ? <ErrorNotice error={approve.error} /> : null}
    </>
  );
}

type ApprovalNoteProps = {
  readonly name: string;
  readonly mayChange: boolean;
  readonly isNew: boolean;
  readonly isPending: boolean;
  /** Undefined if nobody may approve the definition. */
  readonly onApprove: (() => void) | undefined;
};

function ApprovalNote({ name, mayChange, isNew, isPending, onApprove }: ApprovalNoteProps) {
  if (onApprove === undefined)
    return (
      <p className="faint">
        This definition is too large to be reviewed, so it cannot be approved. Ask whoever runs the server to shorten
        it.
      </p>
    );
  if (!mayChange)
    return (
      <p className="faint">
        Nobody can use it until an owner of the hub approves {isNew ? 'its definition' : 'the changes'}.
      </p>
    );
  return (
    <footer className="actions">
      <button type="button" className="strong" disabled={isPending} onClick={onApprove}>
        {isNew ? 'Approve definition' : 'Approve changes'}
        <span className="visually-hidden"> {name}</span>
      </button>
      <span className="faint">Until then nobody can use it. To block it permanently, deny it in the policy.</span>
    </footer>
  );
}
