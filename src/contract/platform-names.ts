/** Names of the compose projects, containers and networks of the platform. Users and the API see them, so they are fixed. */

/** Project of the router, and name of its container. */
export const routerProjectName = 'platform-router';

/** Project of the dashboard and Prometheus, and the network that router, Prometheus and executors share. */
export const observabilityProjectName = 'platform-obs';

const instanceProjectPrefix = 'platform-inst-';

/** Project of an instance; its executor has the same name on the shared network. */
export function toInstanceProjectName(instanceId: string): string {
  return `${instanceProjectPrefix}${instanceId}`;
}

/** The instance that a project belongs to; undefined for any other project. */
export function parseInstanceProjectName(projectName: string): string | undefined {
  return projectName.startsWith(instanceProjectPrefix) ? projectName.slice(instanceProjectPrefix.length) : undefined;
}

/** True for the projects of the platform itself. */
export function isPlatformProject(projectName: string): boolean {
  return (
    projectName === routerProjectName ||
    projectName === observabilityProjectName ||
    parseInstanceProjectName(projectName) !== undefined
  );
}
