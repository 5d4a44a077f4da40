import type { HubPolicy, HubPolicyDocument } from '../../../contract/hubs/policy-api.ts';
import { DiffView } from '../../components/diff-view.tsx';
import { mergePolicies } from './merge-policies.ts';

type PolicyConflictProps = {
  /** What the changes were made from. */
  readonly base: HubPolicy;
  /** What has been applied since. */
  readonly newer: HubPolicy;
  /** Undefined while what was typed is not a policy. */
  readonly mine: HubPolicyDocument | undefined;
  readonly onMerge: (document: HubPolicyDocument) => void;
  readonly onDiscard: () => void;
};

const formatPolicy = (document: HubPolicyDocument): string => JSON.stringify(document, undefined, 2);

/** Shows both changes since the common revision, and merges them where they do not touch the same member. */
export function PolicyConflict({ base, newer, mine, onMerge, onDiscard }: PolicyConflictProps) {
  const { changed_by: author, revision } = newer;
  const merge = mine && mergePolicies(base.document, mine, newer.document);
  const baseText = formatPolicy(base.document);
  return (
    <section className="problem" aria-label="Two changes of the policy" role="alert">
      <p>
        <strong>
          {author} has applied revision {revision} since you began with revision {base.revision}.
        </strong>
      </p>
      <h3>Changes of {author}</h3>
      <DiffView before={baseText} after={formatPolicy(newer.document)} label={`Changes of ${author}`} />
      <h3>Your changes</h3>
      {mine ? <DiffView before={baseText} after={formatPolicy(mine)} label="Your changes" /> : null}
      {merge && merge.conflicts.length > 0 ? (
        <p>
          Both change {merge.conflicts.join(', ')}: discard your changes, and make them again in revision {revision}.
        </p>
      ) : null}
      <p className="actions">
        {merge && merge.conflicts.length === 0 ? (
          <button type="button" className="strong" onClick={() => onMerge(merge.document)}>
            Merge my changes into revision {revision}
          </button>
        ) : null}
        <button type="button" onClick={onDiscard}>
          Discard my changes and show revision {revision}
        </button>
      </p>
    </section>
  );
}
