/** What a hub tells its clients about itself. */
import type { ServerDescription } from '../downstream/server-description.ts';
import { statusTool } from './status-tool.ts';

export function createHubDescription(slug: string, version: string): ServerDescription {
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
    instructions: `The tools of hub ${slug}, named <connection>__<tool>. ${statusTool.name} reports which connections respond.`,
  };
}
