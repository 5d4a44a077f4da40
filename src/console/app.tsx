import { useIsFetching, useQuery } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { callWhenIdle } from './browser.ts';
import ComparePage from './compare/compare-page.tsx';
import { EmptyState } from './components/empty-state.tsx';
import { ErrorNotice } from './components/error-notice.tsx';
import { Skeleton } from './components/skeleton.tsx';
import FailurePage from './failures/failure-page.tsx';
import FailuresPage from './failures/failures-page.tsx';
import HealthPage from './health/health-page.tsx';
import { lazyComponent } from './lazy-component.ts';
import { OverviewPage } from './overview/overview-page.tsx';
import RunsPage from './runs/list/runs-page.tsx';
import ScenariosPage from './scenarios/scenarios-page.tsx';
import SchedulesPage from './schedules/schedules-page.tsx';
import { useClient } from './session/client.ts';
import { isSignedOut, sessionQuery } from './session/use-session.ts';
import { Frame } from './shell/frame.tsx';
import { useFocusRetention } from './shell/use-focus-retention.ts';
import SuitePage from './suites/suite-page.tsx';
import SuitesPage from './suites/suites-page.tsx';

/** Pages of environments are part of the first script: each is a few KB, and a script of its own would be a request more. */
const loadingPage = <Skeleton rows={10} />;
const CoveragePage = lazyComponent(() => import('./coverage/coverage-page.tsx'), loadingPage);
const RunPage = lazyComponent(() => import('./runs/detail/run-page.tsx'), loadingPage);
const ScenarioPage = lazyComponent(() => import('./scenarios/scenario-page.tsx'), loadingPage);
const HubPage = lazyComponent(() => import('./hub/hub-page.tsx'), loadingPage);
const HubsPage = lazyComponent(() => import('./hub/hubs-page.tsx'), loadingPage);
const RegistryPage = lazyComponent(() => import('./registry/registry-page.tsx'), loadingPage);
const StatusPagesPage = lazyComponent(() => import('./status-pages/status-pages-page.tsx'), loadingPage);
const SettingsPage = lazyComponent(() => import('./settings/settings-page.tsx'), loadingPage);
const SignInPage = lazyComponent(() => import('./sign-in/sign-in-page.tsx'));
const SingleSignOnPage = lazyComponent(() => import('./sign-in/single-sign-on-page.tsx'));
const SetupPage = lazyComponent(() => import('./sign-in/setup-page.tsx'));
const ResetPasswordPage = lazyComponent(() => import('./sign-in/reset-password-page.tsx'));
const InvitationPage = lazyComponent(() => import('./sign-in/invitation-page.tsx'));
const DevicePage = lazyComponent(() => import('./sign-in/device-page.tsx'), loadingPage);
const InteractionPage = lazyComponent(() => import('./sign-in/interaction-page.tsx'));

/** All routes of the console. Pages that need no session are outside the frame. */
export function App() {
  useFocusRetention();
  return (
    <ErrorBoundary>
      <Switch>
        <Route path="/setup" component={SetupPage} />
        <Route path="/reset-password" component={ResetPasswordPage} />
        <Route path="/invitation" component={InvitationPage} />
        <Route path="/interaction/:uid">{({ uid }) => <InteractionPage uid={uid} />}</Route>
        <Route path="/single-sign-on" component={SingleSignOnPage} />
        <Route path="/sign-in" component={SignInPage} />
        <Route>
          <SessionGate>
            <SignedInRoutes />
          </SessionGate>
        </Route>
      </Switch>
    </ErrorBoundary>
  );
}

/** What most clicks lead to, loaded when the page is there and the browser has nothing else to do. */
const likelyNext = [RunPage, ScenarioPage];

/** An element of its own, so that nothing else is rendered when a request begins or ends. */
function Preloading() {
  const isLoading = useIsFetching() > 0;
  useEffect(() => {
    if (isLoading) return undefined;
    return callWhenIdle(() => likelyNext.forEach(({ preload }) => void preload()));
  }, [isLoading]);
  return null;
}

function SignedInRoutes() {
  return (
    <Frame>
      <Preloading />
      <Switch>
        <Route path="/" component={OverviewPage} />
        <Route path="/instances/:instance">
          {({ instance }) => <FailuresPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/failures/:failure">
          {({ instance, failure }) => <FailurePage key={failure} instance={instance} failureId={failure} />}
        </Route>
        <Route path="/instances/:instance/compare">
          {({ instance }) => <ComparePage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/health">
          {({ instance }) => <HealthPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/coverage">
          {({ instance }) => <CoveragePage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/schedules">
          {({ instance }) => <SchedulesPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/status-pages">
          {({ instance }) => <StatusPagesPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/suites">
          {({ instance }) => <SuitesPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/suites/:suite">
          {({ instance, suite }) => <SuitePage key={suite} instance={instance} suiteId={suite} />}
        </Route>
        <Route path="/instances/:instance/runs">
          {({ instance }) => <RunsPage key={instance} instance={instance} />}
        </Route>
        <Route path="/instances/:instance/scenarios">{({ instance }) => <ScenariosPage instance={instance} />}</Route>
        <Route path="/instances/:instance/scenarios/:scenario">
          {({ instance, scenario }) => <ScenarioPage key={scenario} instance={instance} scenario={scenario} />}
        </Route>
        <Route path="/runs/:run">{({ run }) => <RunPage runId={run} />}</Route>
        <Route path="/hubs" component={HubsPage} />
        <Route path="/hubs/:hub/:part?">{({ hub, part }) => <HubPage slug={hub} pageName={part} />}</Route>
        <Route path="/registry" component={RegistryPage} />
        <Route path="/settings/:part">{({ part }) => <SettingsPage pageName={part} />}</Route>
        <Route path="/settings">
          <Redirect to="/settings/environments" replace />
        </Route>
        <Route path="/device" component={DevicePage} />
        <Route>
          <EmptyState isPage title="Page not found">
            <title>Page not found · vp</title>
            <p>There is no page at this address.</p>
            <a href="/">Go to the overview</a>
          </EmptyState>
        </Route>
      </Switch>
    </Frame>
  );
}

/** Shows an error instead of a blank screen when a page throws, for example because a new build replaced its files. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main className="standalone">
        <ErrorNotice error={error} retry={() => location.reload()} />
      </main>
    );
  }
}

/** Shows the sign-in page at the same address until the person is signed in, so that the requested page follows. */
function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(sessionQuery(useClient()));
  if (isSignedOut(error)) return <SignInPage />;
  if (data) return children;
  if (!error) return null;
  return (
    <main className="standalone">
      <ErrorNotice error={error} retry={refetch} />
    </main>
  );
}
