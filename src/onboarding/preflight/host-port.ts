/** A port of this machine that the dashboard's project needs: free, or held by that very project. */
import { holderText, type PortHolder } from '../../containers/port-holders.ts';
import { type Check, fine, problem } from './check.ts';
import type { PreflightContext } from './context.ts';

/** The project that dashboard and metrics store run in, one for the machine. */
export const dashboardProject = 'platform-obs';

/** The check of one port; `use` says what for. */
export function hostPortCheck(id: string, port: number, use: string): Check<Pick<PreflightContext, 'holderOf'>> {
  return {
    id,
    title: `port ${port} for ${use}`,
    async look({ holderOf }) {
      const holder = await holderOf(port);
      if (!holder) return fine('free');
      if (isOf(dashboardProject, holder)) return fine(`held by ${holderText(holder)}, as it should`);
      return { facts: [], problems: [problem('PORT_TAKEN', { port, use, holder: holderText(holder) })] };
    },
  };
}

/** True for a container of that compose project. */
export function isOf(project: string, { container }: PortHolder): boolean {
  return container?.project === project;
}
