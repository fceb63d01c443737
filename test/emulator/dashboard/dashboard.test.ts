import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startEmulator } from '../../../emulator/src/server.ts';
import { patience } from '../../patience.ts';
import { ApiCaller } from '../api-caller.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { CHROMIUM, IN_A_BROWSER, SKIPPED } from './chromium.ts';
import { DashboardPage } from './page.ts';
import { type DashboardStage, openStage } from './stage.ts';

/** A browser beside other tests can be slow. */
const PATIENCE = { timeout: patience(15_000) };

/** What a page that took it for HTML would run. */
const ATTACK = `<img src=x onerror="document.body.dataset.owned='yes'">`;

describe.skipIf(CHROMIUM === undefined)(`the dashboard in a browser${SKIPPED}`, IN_A_BROWSER, () => {
  let stage: DashboardStage;
  let api: ApiCaller;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    stage = await openStage();
    api = stage.api;
  });
  afterAll(() => stage.close());
  beforeEach(async () => {
    await api.control('POST /reset');
    dashboard = await DashboardPage.open(stage.browser, stage.emulator);
  });
  afterEach(async () => {
    const { complaints } = dashboard;
    await dashboard[Symbol.asyncDispose]();
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  });

  const finished = async (model: string, input: object, workflow?: string): Promise<string> => {
    const id = await api.accepted(
      model,
      input,
      workflow === undefined ? {} : { 'x-darkroom-workflow': workflow },
    );
    await api.control(`POST /tasks/${id}/finish`);
    await api.settled(id);
    return id;
  };

  test('shows a key’s value once; it works within its scope until the key is revoked', async () => {
    const view = await dashboard.view('API keys');
    await view.getByLabel('Name').fill('staging');
    await view.getByLabel('credits').check();
    await view.getByRole('button', { name: 'Create key' }).click();
    const value = await view.locator('.secret .value').innerText();
    await expect
      .poll(() => view.getByRole('row', { name: 'staging' }).innerText(), PATIENCE)
      .toMatch(/credits/);

    const staging = new ApiCaller(stage.emulator, value);
    expect((await staging.credits()).status).toBe(200);
    expect((await staging.submit('image-l', { prompt: 'x' })).status).toBe(403);
    await view.getByRole('button', { name: 'Put away' }).click();
    await view.locator('.secret').waitFor({ state: 'detached' });
    expect(await dashboard.page.content()).not.toContain(value);

    await view.getByRole('button', { name: 'Revoke staging' }).click();
    await dashboard.confirm('Leave it');
    expect((await staging.credits()).status).toBe(200);
    await view.getByRole('button', { name: 'Revoke staging' }).click();
    await dashboard.confirm('Revoke');
    await dashboard.told('The key “staging” was revoked.');
    expect((await staging.credits()).status).toBe(401);
  });

  test('creates an endpoint, tests it, shows what was sent and answered, and sends it again', async () => {
    await using receiver = await WebhookReceiver.start();
    receiver.answers.push(200);
    const view = await dashboard.view('Endpoints');
    const form = view.getByRole('form', { name: 'New endpoint' });
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByRole('button', { name: 'Create endpoint' }).click();
    const card = view.getByRole('article', { name: receiver.url });
    const secret = await card.locator('.secret .value').innerText();
    expect(secret).toMatch(/^whsec_/);

    await card.getByRole('button', { name: 'Send test' }).click();
    await until(() => receiver.received.length === 1);

    const deliveries = await dashboard.view('Deliveries');
    const row = deliveries.getByRole('row', { name: 'task.completed' });
    await expect.poll(() => row.innerText(), PATIENCE).toMatch(/Success\s+HTTP 200/);
    await row.getByRole('link', { name: 'Details' }).click();
    await dashboard.dialog().getByText('noted').waitFor();
    expect(await dashboard.dialog().getByLabel('Payload').innerText()).toBe(
      JSON.stringify(receiver.received[0]?.payload, null, 2),
    );

    await dashboard.dialog().getByRole('button', { name: 'Redeliver' }).click();
    await until(() => receiver.received.length === 2);
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(second).toBe(first);
  });

  test('filters, disables and enables an endpoint, and rotates its secret with an overlap', async () => {
    await using receiver = await WebhookReceiver.start();
    await api.control('POST /endpoints', { workspace: 'default', url: receiver.url });
    const view = await dashboard.view('Endpoints');
    const card = view.getByRole('article', { name: receiver.url });
    await card.getByText('Change address and events').click();
    await card.getByRole('checkbox', { name: 'task.created' }).uncheck();
    await card.getByRole('button', { name: 'Save' }).click();
    await dashboard.told('The endpoint is changed.');
    await card.getByRole('button', { name: 'Rotate secret' }).click();
    await card.locator('.secret .value').waitFor();

    const id = await api.accepted('image-l', { prompt: 'x' });
    await api.control(`POST /tasks/${id}/start`);
    await until(() => receiver.received.length === 1);
    expect(receiver.types(id)).toEqual(['task.started']);
    expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);

    await card.getByRole('button', { name: 'Disable' }).click();
    await card.getByText('Disabled').waitFor();
    const { body } = await api.control('GET /endpoints');
    expect(body).toMatchObject([{ enabled: false }]);
    expect(body[0].events).not.toContain('task.created');
    await card.getByRole('button', { name: 'Enable' }).click();
    await card.getByText('Enabled').waitFor();
  });

  test('shows tasks as they happen, with their pictures and players', async () => {
    const view = dashboard.shown();
    await view.getByText('There are no tasks yet.').waitFor();
    const picture = await finished('image-l', { prompt: 'a lighthouse' }, 'generation/1');
    const film = await finished('video-g', { prompt: 'a storm' });
    const voice = await finished('speech-a', { text: 'good evening' });
    await expect.poll(() => view.getByRole('listitem').count(), PATIENCE).toBe(3);
    expect(await view.getByRole('listitem').last().innerText()).toMatch(
      /a lighthouse[\s\S]*generation\/1[\s\S]*Completed/,
    );
    const width = (element: object): unknown => Reflect.get(element, 'naturalWidth');
    await expect.poll(() => view.locator('img.mini').evaluate(width), PATIENCE).toBeGreaterThan(0);

    await view.getByRole('link', { name: 'a lighthouse' }).click();
    await expect
      .poll(() => dashboard.dialog().locator('.output img').evaluate(width), PATIENCE)
      .toBeGreaterThan(0);
    await dashboard.dialog().getByText('8 credits; the answer was sent whole').waitFor();
    expect(await dashboard.dialog().innerText()).toContain(picture);
    for (const [id, player] of [
      [film, 'video'],
      [voice, 'audio'],
    ] as const) {
      await dashboard.page.goto(`${stage.emulator.dashboardUrl}#/tasks/${id}`);
      const duration = (element: object): unknown => Reflect.get(element, 'duration');
      await expect
        .poll(() => dashboard.dialog().locator(player).evaluate(duration), PATIENCE)
        .toBeGreaterThan(0);
    }
  });

  test('finishes, cancels and fails tasks, and lets them vanish', async () => {
    const ids = [];
    for (const prompt of ['one', 'two', 'three', 'four']) ids.push(await api.accepted('image-l', { prompt }));
    const [one = '', two = '', three = '', four = ''] = ids;
    const press = async (id: string, button: string): Promise<void> => {
      await dashboard.page.goto(`${stage.emulator.dashboardUrl}#/tasks/${id}`);
      await dashboard.dialog().getByText(id).first().waitFor();
      await dashboard.dialog().getByRole('button', { name: button, exact: true }).click();
    };
    await press(one, 'Finish now');
    await dashboard.dialog().getByText('Completed').waitFor();
    await press(two, 'Cancel');
    await dashboard.dialog().getByText('Canceled').waitFor();
    await dashboard.page.goto(`${stage.emulator.dashboardUrl}#/tasks/${three}`);
    await dashboard.dialog().getByText(three).first().waitFor();
    await dashboard.dialog().getByLabel('Code').selectOption('CONTENT_REJECTED');
    await dashboard.dialog().getByLabel('Message').fill('Too dark.');
    await press(three, 'Fail');
    await dashboard.dialog().getByText('IMAGE_GENERATION_CONTENT_REJECTED').waitFor();
    await press(four, 'Vanish');
    await dashboard.confirm('Vanish');
    await dashboard.dialog().getByText('Vanished').waitFor();

    const records = await Promise.all([one, two, three].map((id) => api.get(id)));
    expect(records.map(({ body }) => body.status)).toEqual(['COMPLETED', 'CANCELED', 'FAILED']);
    expect(records[2]?.body.message).toBe('Too dark.');
    expect((await api.get(four)).status).toBe(404);
  });

  test('tops up and sets both pools with their expiry, and limits the rate of submits', async () => {
    const view = await dashboard.view('Credits');
    await view.getByLabel('Credits to add').fill('250');
    await view.getByRole('button', { name: 'Top up' }).click();
    await view.getByText('1,000,250').waitFor();

    await view.getByText('Set the pools and the expiry').click();
    const form = view.getByRole('form', { name: 'Set the credits of default' });
    await form.getByLabel('Permanent').fill('5');
    await form.getByLabel('The subscription expires').fill('2020-01-01T00:00:00');
    await form.getByRole('button', { name: 'Set' }).click();
    await view.getByText('expired').waitFor();
    expect((await api.credits()).body).toMatchObject({ permanent: 5, subscription: 0, available: 5 });

    await view.getByText('Limit the rate of submits').click();
    await view.getByRole('spinbutton', { name: 'Submits' }).fill('1');
    await view.getByRole('spinbutton', { name: 'in seconds' }).fill('3600');
    await view.getByRole('button', { name: 'Set the limit' }).click();
    await view.getByText('1 in 1 h 0 min').waitFor();
    await api.submit('image-o', { prompt: 'x' });
    expect((await api.submit('image-o', { prompt: 'x' })).status).toBe(429);
  });

  test('switches faults on by preset and by JSON, counts them, and shows what they cost', async () => {
    const view = await dashboard.view('Faults');
    const preset = view.getByRole('form', { name: 'Switch on a fault' });
    await preset.getByLabel('Fault').selectOption('Lose answers after acceptance');
    await preset.getByLabel('Share').fill('100');
    await preset.getByRole('button', { name: 'Switch on' }).click();
    await view.getByRole('row', { name: 'lose-answers' }).waitFor();
    const headers = { 'x-darkroom-workflow': 'generation/lost' };
    await expect(api.submit('image-l', { prompt: 'x' }, headers)).rejects.toThrow('fetch failed');
    await expect(api.submit('image-l', { prompt: 'x' }, headers)).rejects.toThrow('fetch failed');
    await view.getByRole('button', { name: 'Switch off lose-answers' }).click();
    await view.getByText('None: the emulator does nothing wrong.').waitFor();
    await api.accepted('image-l', { prompt: 'nobody’s' });
    await expect
      .poll(() => view.getByRole('row', { name: 'submit.lost-after' }).innerText(), PATIENCE)
      .toMatch(/2$/);

    const box = view.getByLabel('A rule or a list of rules');
    const rule = '{ "on": "submit", "nth": 1, "fault": { "kind": "error", "code": "TIMEOUT" } }';
    await box.fill(rule.replace('TIMEOUT', 'TIMEOUT"'));
    await view.getByRole('button', { name: 'Add', exact: true }).click();
    await view.getByText('This is not JSON').waitFor();
    await box.fill(rule.replace('submit', 'submits'));
    await view.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => view.getByRole('alert').last().innerText(), PATIENCE).toMatch(/on: /);
    expect(await box.inputValue()).toContain('submits');
    await box.fill(rule);
    await view.getByRole('button', { name: 'Add', exact: true }).click();
    await dashboard.told('1 rule added.');
    expect((await api.submit('image-l', { prompt: 'x' })).body.code).toBe('IMAGE_GENERATION_TIMEOUT');

    const usage = await dashboard.view('Usage');
    const workflow = usage.getByLabel('Usage by workflow').getByRole('row', { name: 'generation/lost' });
    expect(await workflow.innerText()).toMatch(/2\s+16\s+0\s+1\s/);
    expect(await usage.getByLabel('Lost answers').getByRole('row').count()).toBe(3);
    expect(await usage.getByLabel('Tasks that nobody owns').getByRole('row').count()).toBe(2);
  });

  test('keeps templates', async () => {
    const view = await dashboard.view('Templates');
    await view.getByLabel('Name').fill('dawn');
    await view.getByRole('textbox', { name: 'Id' }).fill('dawn');
    await view.getByLabel('Input').fill('{ "prompt": "a lighthouse at dawn" }');
    await view.getByRole('button', { name: 'Create template' }).click();
    await view.getByRole('row', { name: 'dawn' }).waitFor();
    expect((await api.submit('image-l', { template_id: 'dawn' })).body.input.prompt).toBe(
      'a lighthouse at dawn',
    );
    await view.getByRole('button', { name: 'Remove dawn' }).click();
    await dashboard.confirm('Remove');
    await view.getByText('There are none.').waitFor();
  });

  test('takes nothing that anybody sends for a part of the page', async () => {
    await using receiver = await WebhookReceiver.start();
    const id = await finished('image-l', { prompt: ATTACK }, ATTACK);
    const failed = await api.accepted('image-l', { prompt: ATTACK }, { 'x-darkroom-workflow': ATTACK });
    await api.control(`POST /tasks/${failed}/fail`, { message: ATTACK });
    await api.control('POST /keys', { name: ATTACK, workspace: 'default' });
    await api.control('POST /workspaces', { id: 'other', name: ATTACK });
    await api.control('POST /templates', { id: ATTACK, name: ATTACK, input: { [ATTACK]: ATTACK } });
    await api.control('POST /faults', {
      id: ATTACK,
      on: 'get',
      match: { promptIncludes: ATTACK },
      times: 1,
      fault: { kind: 'reset' },
    });
    await api.control('POST /endpoints', {
      workspace: 'default',
      url: `${receiver.url}?${encodeURI(ATTACK)}`,
    });
    const { body: endpoints } = await api.control('GET /endpoints');
    await api.control(`POST /endpoints/${endpoints[0].id}/test`);
    await until(() => receiver.received.length === 1);
    const { body: deliveries } = await api.control('GET /deliveries');

    const taken: string[] = [];
    for (const place of [
      'tasks',
      `tasks/${id}`,
      `tasks/${failed}`,
      'deliveries',
      `deliveries/${deliveries[0].id}`,
      'endpoints',
      'keys',
      'credits',
      'usage',
      'faults',
      'templates',
      `tasks/${encodeURIComponent(ATTACK)}`,
    ]) {
      await dashboard.page.goto(`${stage.emulator.dashboardUrl}#/${place}`);
      await dashboard.page.reload();
      await dashboard.page.getByText('Live', { exact: true }).waitFor();
      await dashboard.loaded();
      const owned = await dashboard.page.locator('[onerror], img[src="x"], body[data-owned]').count();
      if (owned > 0) taken.push(place);
    }
    expect(taken).toEqual([]);
    await dashboard.page.goto(`${stage.emulator.dashboardUrl}#/tasks/${id}`);
    await dashboard.dialog().locator('.whole-prompt', { hasText: ATTACK }).waitFor();
  });

  test('does not touch what a person types, and moves nothing under the pointer', async () => {
    const [first, second] = [await api.accepted('image-l', { prompt: 'first' }), 'second'];
    const view = await dashboard.view('API keys');
    const name = view.getByLabel('Name');
    await view.getByLabel('read').check();
    await name.fill('half a na');
    await api.control('POST /keys', { name: 'made elsewhere', workspace: 'default' });
    await view.getByRole('row', { name: 'made elsewhere' }).waitFor();
    await dashboard.page.keyboard.press('m');
    const tasks = await dashboard.view('Tasks');
    await tasks.getByText('first').hover();
    await api.accepted('image-l', { prompt: second });
    await tasks.getByText('There is news').waitFor();
    expect(await tasks.getByRole('listitem').count()).toBe(1);
    await api.control(`POST /tasks/${first}/cancel`);
    await tasks.getByRole('listitem').getByText('Canceled').waitFor();
    await dashboard.page.mouse.move(5, 5);
    await tasks.getByText(second).waitFor();

    await dashboard.view('API keys');
    expect(await name.inputValue()).toBe('half a nam');
    expect(await view.getByLabel('read').isChecked()).toBe(true);
  });

  test('pages through thousands of tasks and finds one among them', async () => {
    await api.accepted('image-o', { prompt: 'the needle' });
    const { body: endpoint } = await api.control('POST /endpoints', {
      workspace: 'default',
      url: 'http://127.0.0.1:9/',
    });
    await api.control(`PATCH /endpoints/${endpoint.id}`, { enabled: false });
    for (let done = 0; done < 3000; done += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => api.accepted('image-o', { prompt: `hay ${done + index}` })),
      );
    }
    const view = dashboard.shown();
    await expect.poll(() => view.locator('.choice .chosen').innerText(), PATIENCE).toMatch(/3,001/);
    await view.getByText('hay 2999').waitFor();
    expect(await view.getByRole('listitem').count()).toBe(25);
    const texts = () => view.locator('.prompt').allInnerTexts();
    const newest = await texts();
    await view.getByRole('button', { name: 'Older' }).click();
    await view.getByText('26 – 50').waitFor();
    await expect.poll(async () => new Set([...newest, ...(await texts())]).size, PATIENCE).toBe(50);
    await api.accepted('image-o', { prompt: 'later' });
    await view.getByRole('button', { name: 'Newer' }).click();
    await view.getByText('later').waitFor();
    await view.getByLabel('Search').fill('NEEDLE');
    await expect.poll(texts, PATIENCE).toEqual(['the needle']);
    await view.getByLabel('Search').fill('');
    await view.getByText('Failed', { exact: false }).first().click();
    await view.getByText('No task is like that.').waitFor();
  });

  test('says when the emulator is gone, and goes on when it is back', async () => {
    const other = await startEmulator({ port: 0, media: 'tiny' });
    const page = await DashboardPage.open(stage.browser, other);
    await other.close();
    await page.page.getByText('Connection lost').waitFor();
    expect(await page.page.getByText('Live', { exact: true }).isVisible()).toBe(false);
    await using again = {
      emulator: await startEmulator({ port: other.port, media: 'tiny' }),
      [Symbol.asyncDispose]: () => again.emulator.close(),
    };
    await page.page.getByText('Live', { exact: true }).waitFor({ timeout: patience(20_000) });
    await new ApiCaller(again.emulator).accepted('image-l', { prompt: 'after the restart' });
    await page.shown().getByText('after the restart').waitFor();
    await page[Symbol.asyncDispose]();
  });

  test('can be used with the keyboard alone', async () => {
    await finished('image-l', { prompt: 'a lighthouse' });
    const { page } = dashboard;
    await dashboard.shown().getByText('a lighthouse').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
    await page.keyboard.press('Enter');
    const task = dashboard.shown().getByRole('link', { name: 'a lighthouse' });
    await until(async () => {
      await page.keyboard.press('Tab');
      return await task.evaluate((element) => element === element.ownerDocument.activeElement);
    }, 'the focus to reach the task');
    await page.keyboard.press('Enter');
    await dashboard.dialog().getByRole('heading', { name: 'image-l' }).waitFor();
    await page.keyboard.press('Escape');
    await dashboard.dialog().waitFor({ state: 'detached' });
    expect(await task.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });
});
