import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { RunComparison } from '../../contract/comparison-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { AlternativeCommand } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { useClient } from '../session/client.ts';
import { ComparisonAnswer, ComparisonResult } from './comparison-result.tsx';
import { SideSelects } from './side-selects.tsx';

/** By default the two newest versions are compared: they are asked for at once, without waiting for the list of versions. */
export function VersionChoice({ instance }: { instance: string }) {
  const { comparison } = useClient();
  const [search] = useSearchParams();
  const named = { base: search.get('base'), head: search.get('head') };
  const isNamed = named.base !== null || named.head !== null;
  const newest = useQuery({
    queryKey: ['comparison', instance, 'newest'],
    queryFn: ({ signal }) => comparison.compareNewest(instance, { signal }),
    enabled: !isNamed,
  });
  const versions = useQuery({
    queryKey: ['target-versions', instance],
    queryFn: async ({ signal }) => {
      const entries = await comparison.listTargetVersions(instance, { signal });
      return entries.map(({ target_version: version }) => version);
    },
  });
  const names = versions.data ?? [];
  const isMissing = isNamed ? false : isVersionsMissing(newest.error);
  const isCompared = !isNamed && newest.data !== undefined;
  if (isMissing || (!isCompared && versions.data && names.length < 2)) return <NoVersions instance={instance} />;
  const sides = isNamed ? chooseSides(named, versions.data) : readSides(newest.data);
  return (
    <>
      {sides ? <SideSelects label="Versions" names={names} {...sides} /> : null}
      {!isNamed ? (
        <ComparisonAnswer query={newest} />
      ) : sides ? (
        <ComparisonResult instance={instance} base={{ version: sides.base }} head={{ version: sides.head }} />
      ) : (
        <QueryContent query={versions}>{() => null}</QueryContent>
      )}
    </>
  );
}

function isVersionsMissing(error: unknown): boolean {
  return error instanceof VpError && error.code === 'COMPARISON_VERSIONS_MISSING';
}

type Sides = { readonly base: string; readonly head: string };

/** `names`: the newest first; undefined while they are loaded. A side that is not named follows from the other one. */
function chooseSides(
  { base, head }: { readonly base: string | null; readonly head: string | null },
  names: readonly string[] | undefined,
): Sides | undefined {
  if (base !== null && head !== null) return { base, head };
  if (!names) return undefined;
  const chosenHead = head ?? names[0] ?? '';
  return { base: base ?? findVersionBefore(names, chosenHead), head: chosenHead };
}

function readSides(comparison: RunComparison | undefined): Sides | undefined {
  const [base, head] = [comparison?.base.target_version, comparison?.head.target_version];
  return base == null || head == null ? undefined : { base, head };
}

function NoVersions({ instance }: { instance: string }) {
  return (
    <EmptyState title="Fewer than two versions of the target are known">
      <p>
        A run has the version that a response header such as <code>X-App-Version</code> names. In a pipeline, the
        variable <code>VP_TARGET_VERSION</code> names it. Periods are compared without versions.
      </p>
      <RemainingSteps id={instance} />
      <AlternativeCommand text={`vp compare 14d..7d 7d.. --instance ${instance}`} />
    </EmptyState>
  );
}

/** `versions`: at least two, the newest first. The oldest one is compared with the one after it. */
function findVersionBefore(versions: readonly string[], head: string): string {
  const position = versions.indexOf(head);
  return versions[position + 1] ?? versions[position - 1] ?? '';
}
