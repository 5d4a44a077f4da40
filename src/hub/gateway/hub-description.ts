/** What a hub tells its clients about itself. */

import type { Implementation } from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../access/principal.ts';
import type { ServerDescription } from '../downstream/server-description.ts';
import { callToolDefinition, describeToolDefinition, findToolsDefinition } from '../tool-search/definitions.ts';
import { statusTool } from './status-tool.ts';

const searchInstructions = `They are not listed: find them with ${findToolsDefinition.name}, read the arguments of one with ${describeToolDefinition.name} and call it with ${callToolDefinition.name}. `;

const maxCachedInfos = 1000;
const infos = new Map<string, Implementation>();

/** The same object for each call of a hub: what is written of it is cached by it. */
export function getHubInfo({ hub: { slug } }: Pick<HubPrincipal, 'hub'>, version: string): Implementation {
  const key = `${version} ${slug}`;
  const known = infos.get(key);
  if (known) return known;
  if (infos.size >= maxCachedInfos) infos.clear();
  const info = { name: `vp-hub-${slug}`, title: `Hub ${slug}`, version };
  infos.set(key, info);
  return info;
}

export function createHubDescription(
  { hub, toolList }: Pick<HubPrincipal, 'hub' | 'toolList'>,
  version: string,
): ServerDescription {
  return {
    info: getHubInfo({ hub }, version),
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    hasTasks: true,
    hasApps: true,
    instructions: `The tools of hub ${hub.slug}, named <connection>__<tool>. ${toolList === 'search' ? searchInstructions : ''}${statusTool.name} reports which connections respond.`,
  };
}
