import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { AlternativeCommand } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { useClient } from '../session/client.ts';
import { ComparisonResult } from './comparison-result.tsx';
import { SideSelects } from './side-selects.tsx';

export function VersionChoice({ instance }: { instance: string }) {
  const { comparison } = useClient();
  const query = useQuery({
    queryKey: ['target-versions', instance],
    queryFn: ({ signal }) => comparison.listTargetVersions(instance, { signal }),
  });
  return (
    <QueryContent query={query}>
      {(versions) => {
        const names = versions.map(({ target_version: version }) => version);
        return names.length < 2 ? <NoVersions instance={instance} /> : <Sides instance={instance} names={names} />;
      }}
    </QueryContent>
  );
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

function Sides({ instance, names }: { instance: string; names: readonly string[] }) {
  const [search] = useSearchParams();
  const head = search.get('head') ?? names[0] ?? '';
  const base = search.get('base') ?? findVersionBefore(names, head);
  return (
    <>
      <SideSelects label="Versions" names={names} base={base} head={head} />
      <ComparisonResult instance={instance} base={{ version: base }} head={{ version: head }} />
    </>
  );
}

/** `versions`: at least two, the newest first. The oldest one is compared with the one after it. */
function findVersionBefore(versions: readonly string[], head: string): string {
  const position = versions.indexOf(head);
  return versions[position + 1] ?? versions[position - 1] ?? '';
}
