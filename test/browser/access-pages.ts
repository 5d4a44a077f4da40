/**
 * The pages of the console that are checked in every appearance, as tables of paths with a selector to wait for. Two files check
 * them side by side, so that neither takes long: those of *Verify*, and those of *Hub* with the settings.
 */
import { readFileSync } from 'node:fs';
import { instance } from './browser-test.ts';

export type PageTable = readonly (readonly [path: string, selector: string])[];

/** The paths of a failed run, of the failure that it belongs to, and of the suite of both. */
export type RunPaths = { readonly failed: string; readonly failure: string; readonly suite: string };

export function listVerifyPages({ failed, failure, suite }: RunPaths): PageTable {
  return [
    ['/', '.attention'],
    [`/instances/${instance}`, '[data-row]'],
    [`/instances/${instance}?state=resolved`, '.empty'],
    [failure, '.failure-facts'],
    ['/instances/empty', '.checklist'],
    [`/instances/${instance}/health`, '[data-row]'],
    [`/instances/${instance}/schedules`, '[data-row]'],
    ['/instances/empty/schedules', '.checklist'],
    [`/instances/${instance}/coverage`, '.empty'],
    ['/instances/empty/coverage', '.checklist'],
    [`/instances/${instance}/compare`, '[aria-label="Changes"]'],
    ['/instances/empty/compare', '.checklist'],
    [`/instances/${instance}/suites`, '[data-row]'],
    [suite, '.run-row.is-passed'],
    ['/instances/empty/suites', '.checklist'],
    [`/instances/${instance}/status-pages`, '.empty'],
    [`/instances/${instance}/runs`, '[data-row]'],
    [`/instances/${instance}/runs?result=broken`, '.empty'],
    [failed, '.line.is-failed'],
    [`${failed}?tab=request`, '.headers'],
    [`${failed}?tab=timing`, '.timing'],
    [`${failed}?tab=compare`, '.exchange-line'],
    [`/instances/${instance}/scenarios`, '[data-row]'],
    [`/instances/${instance}/scenarios/RT-MORE`, '.rendered'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=edit`, '.editor'],
    [`/instances/${instance}/scenarios/RT-MORE?tab=history`, '.diff'],
    ['/runs/20200101T000000000', '.empty h1'],
    [`/instances/${instance}/suites/s20200101T000000000`, '.empty h1'],
    ['/nowhere', '.empty h1'],
    ['/instances/empty/runs', '.checklist'],
    ['/instances/empty/scenarios', '.checklist'],
    ['/instances/empty/scenarios?deleted=true', '.empty'],
  ];
}

export const hubPages: PageTable = [
  ['/settings/environments', '.card-box'],
  ['/settings/people', 'table'],
  ['/settings/account', '.plain-list li'],
  ['/device', 'input'],
  ['/settings/nothing', '.empty h1'],
  ['/hubs/bare/connections', '.checklist'],
  ['/hubs/bare/tools', '.checklist'],
  ['/hubs/bare/try', '.checklist'],
  ['/hubs/bare/tokens', '.checklist'],
  ['/hubs/bare/audit', '.checklist'],
  ['/hubs', '.plain-list li'],
  ['/hubs/acme/connections', '.card-box'],
  ['/hubs/acme/tools', '.tool-row'],
  ['/hubs/acme/try', '.tool-choice button'],
  ['/hubs/acme/try?tool=weather__forecast', '.argument-form'],
  ['/hubs/acme/policy', '.policy-form'],
  ['/hubs/acme/members', '.people'],
  ['/hubs/acme/general', '.inline-form'],
  ['/hubs/acme/tokens', '.tokens'],
  ['/hubs/acme/connect', '.snippet'],
  ['/hubs/acme/connect?way=token', '.snippet'],
  ['/hubs/acme/audit', '.audit'],
  ['/hubs/acme/approvals', '.empty'],
  ['/hubs/acme/usage', '.people'],
  ['/hubs/acme/nothing', '.empty h1'],
  ['/hubs/nowhere/tokens', '.empty h1'],
  ['/hubs/acme', '.tokens'],
  ['/registry', '.empty'],
  ['/settings', '.card-box'],
];

/** Pages that need no session. */
export const signedOutPages: PageTable = [
  ['/', 'form'],
  ['/sign-in', 'form'],
  ['/setup', 'h1'],
  ['/single-sign-on', 'h1'],
  ['/reset-password', 'h1'],
  ['/reset-password#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/invitation', 'h1'],
  ['/invitation#abcdefghijklmnopqrstuvwxyz', '.problem'],
  ['/interaction/unknown', '.problem, h1'],
];

/** The patterns of all routes of the console, such as `/runs/:run`. */
export function listRoutes(): readonly string[] {
  const source = readFileSync('src/console/app.tsx', 'utf8');
  return Array.from(source.matchAll(/<Route path="([^"]+)"/g), ([, pattern = '']) => pattern);
}

export function toPattern(route: string): RegExp {
  const inner = route.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${inner}$`);
}

export const toPathname = (path: string): string => new URL(path, 'http://localhost').pathname;

/** Whether the file of hubs and settings checks the page. */
export const isHubPath = (path: string): boolean => /^\/(?:hubs|registry|settings|device)(?:\/|$)/.test(path);
