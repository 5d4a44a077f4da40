import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { formatCount } from '../../text/format.ts';
import { HubSteps } from '../hub-steps.tsx';
import { QueryContent } from '../query-content.tsx';
import { readToolDefinition } from './tool-definition.ts';
import { ToolRow } from './tool-row.tsx';

const kinds = [
  ['tool', 'tools'],
  ['prompt', 'prompts'],
  ['resource', 'resources'],
  ['template', 'resource templates'],
  ['any', 'all definitions'],
] as const;

export function ToolsPage({ hub }: { hub: Hub }) {
  const { hubPolicy } = useClient();
  const [search] = useSearchParams();
  const kind = kinds.find(([name]) => name === search.get('kind'))?.[0] ?? 'tool';
  const query = useQuery({
    queryKey: kind === 'tool' ? ['hub-tools', hub.slug] : ['hub-tools', hub.slug, kind],
    queryFn: ({ signal }) => hubPolicy.listTools(hub.slug, { kind, signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <p className="faint">
        Tools, prompts and resources are approved as they are first listed, unless something about them is suspicious.
        What a server adds or changes later is held back until an owner approves it.
      </p>
      <KindChoice hub={hub.slug} kind={kind} />
      <QueryContent query={query}>
        {(tools) => (tools.length === 0 ? <NoTools hub={hub} kind={kind} /> : <ToolList hub={hub} tools={tools} />)}
      </QueryContent>
    </>
  );
}

type Kind = (typeof kinds)[number][0];

/** The kind is stored in the address bar. */
function KindChoice({ hub, kind }: { hub: string; kind: Kind }) {
  const { hubPolicy } = useClient();
  const [, setSearch] = useSearchParams();
  const { data: held = [] } = useQuery({
    queryKey: ['hub-tools', hub, 'held'],
    queryFn: ({ signal }) => hubPolicy.listTools(hub, { kind: 'any', state: 'held', signal }),
    refetchInterval: 10_000,
  });
  const otherCount = kind === 'any' ? 0 : held.filter((definition) => definition.kind !== kind).length;
  return (
    <p className="actions">
      <Select
        label="Show"
        hideLabel
        value={kind}
        options={kinds}
        onSelect={(next) => setSearch(next === 'tool' ? {} : { kind: next }, { replace: true })}
      />
      {otherCount === 0 ? null : (
        <span className="faint">{formatCount(otherCount, 'definition')} of other kinds held back</span>
      )}
    </p>
  );
}

function NoTools({ hub, kind }: { hub: Hub; kind: Kind }) {
  if (kind !== 'tool')
    return (
      <EmptyState title="None seen yet">
        <p>Definitions appear here when they are first listed through the hub.</p>
      </EmptyState>
    );
  return (
    <EmptyState title="No tools seen yet">
      <p>Tools appear here when they are first listed through the hub.</p>
      <HubSteps hub={hub} />
    </EmptyState>
  );
}

const maxDisplayed = 200;

/** The search text is stored in the address bar. */
function ToolList({ hub, tools }: { hub: Hub; tools: readonly HubTool[] }) {
  const [search, setSearch] = useSearchParams();
  const searchText = search.get('find') ?? '';
  const noun = search.get('kind') === null ? 'tool' : 'definition';
  const needle = useDeferredValue(searchText.toLowerCase());
  const matches = tools.filter((tool) => toSearchableText(tool).includes(needle));
  const approvalCount = tools.filter(({ state }) => state === 'held').length;
  const setSearchText = (text: string): void => {
    const kind = search.get('kind');
    setSearch({ ...(kind === null ? {} : { kind }), ...(text === '' ? {} : { find: text }) }, { replace: true });
  };
  return (
    <>
      <div className="bar">
        <SearchInput label="Find a tool" placeholder="Find a tool" value={searchText} onSearch={setSearchText} />
        <span className="faint" role="status">
          {formatCount(matches.length, noun)}
          {approvalCount > 0 ? `, ${approvalCount} held back` : ''}
        </span>
      </div>
      {matches.length === 0 ? (
        <EmptyState title="No matching tools">
          <button type="button" onClick={() => setSearchText('')}>
            Show all tools
          </button>
        </EmptyState>
      ) : (
        <div className="tool-list">
          {matches.slice(0, maxDisplayed).map((tool) => (
            <ToolRow
              key={`${tool.connection} ${tool.kind} ${tool.tool}`}
              hub={hub.slug}
              tool={tool}
              mayChange={hub.role === 'owner'}
            />
          ))}
          {matches.length > maxDisplayed ? (
            <p className="faint tool-row">
              {formatCount(matches.length - maxDisplayed, `more ${noun}`)}: enter part of the name.
            </p>
          ) : null}
        </div>
      )}
    </>
  );
}

function toSearchableText(tool: HubTool): string {
  const { title, description } = readToolDefinition(tool);
  return `${tool.connection}__${tool.tool} ${title} ${description} ${tool.state}`.toLowerCase();
}
