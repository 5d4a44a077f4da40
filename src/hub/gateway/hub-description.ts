/** What a hub tells its clients about itself. */

import type { HubPrincipal } from '../access/principal.ts';
import type { ServerDescription } from '../downstream/server-description.ts';
import { callToolDefinition, describeToolDefinition, findToolsDefinition } from '../tool-search/definitions.ts';
import { statusTool } from './status-tool.ts';

const searchInstructions = `They are not listed: find them with ${findToolsDefinition.name}, read the arguments of one with ${describeToolDefinition.name} and call it with ${callToolDefinition.name}. `;

export function createHubDescription(
  { hub: { slug }, toolList }: Pick<HubPrincipal, 'hub' | 'toolList'>,
  version: string,
): ServerDescription {
  return {
    info: { name: `vp-hub-${slug}`, title: `Hub ${slug}`, version },
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    hasTasks: true,
    hasApps: true,
    instructions: `The tools of hub ${slug}, named <connection>__<tool>. ${toolList === 'search' ? searchInstructions : ''}${statusTool.name} reports which connections respond.`,
  };
}
