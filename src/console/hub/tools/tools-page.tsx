import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { hubPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { formatCount } from '../../text/format.ts';
import { QueryContent } from '../query-content.tsx';
import { readToolDefinition } from './tool-definition.ts';
import { ToolRow } from './tool-row.tsx';

export function ToolsPage({ hub }: { hub: Hub }) {
  const { hubPolicy } = useClient();
  const query = useQuery({
    queryKey: ['hub-tools', hub.slug],
    queryFn: ({ signal }) => hubPolicy.listTools(hub.slug, { signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <p className="faint">
        A tool is approved as it is first seen. If its server later changes the definition, nobody can call the tool
        until an owner approves the change.
      </p>
      <QueryContent query={query}>
        {(tools) => (tools.length === 0 ? <NoTools hub={hub.slug} /> : <ToolList hub={hub} tools={tools} />)}
      </QueryContent>
    </>
  );
}

function NoTools({ hub }: { hub: string }) {
  return (
    <EmptyState title="No tools seen yet">
      <p>Tools appear here when they are first listed through the hub.</p>
      <Link href={hubPath(hub, 'try')}>List tools now</Link>
    </EmptyState>
  );
}

const maxDisplayed = 200;

/** The search text is stored in the address bar. */
function ToolList({ hub, tools }: { hub: Hub; tools: readonly HubTool[] }) {
  const [search, setSearch] = useSearchParams();
  const searchText = search.get('find') ?? '';
  const needle = useDeferredValue(searchText.toLowerCase());
  const matches = tools.filter((tool) => toSearchableText(tool).includes(needle));
  const approvalCount = tools.filter(({ state }) => state === 'held').length;
  const setSearchText = (text: string): void => setSearch(text === '' ? {} : { find: text }, { replace: true });
  return (
    <>
      <div className="bar">
        <input
          type="search"
          data-search
          aria-label="Find a tool"
          placeholder="Find a tool  /"
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
        <span className="faint" role="status">
          {formatCount(matches.length, 'tool')}
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
              key={`${tool.connection} ${tool.tool}`}
              hub={hub.slug}
              tool={tool}
              mayChange={hub.role === 'owner'}
            />
          ))}
          {matches.length > maxDisplayed ? (
            <p className="faint tool-row">
              {formatCount(matches.length - maxDisplayed, 'more tool')}: enter part of the name.
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
