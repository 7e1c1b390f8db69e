'use strict';
(() => {
const D = JSON.parse(document.getElementById('data').textContent);
const box = document.getElementById('timeline'), canvas = box.querySelector('canvas'), out = document.getElementById('chosen');
const search = document.getElementById('search'), found = document.getElementById('found');
const KIND = 0, ID = 1, BEGAN = 2, TOOK = 3, DEPTH = 4, PPE = 5, PAT = 6, BYTES = 7, PEER = 8, NUMBER = 9, WIDE = 10;
const row = 13, gap = 10, narrow = 52, many = 16; // more PEs are folded from the beginning
let lanes, depths, tops, height, left = narrow, folded = false, picked = D.pes.map(() => true), first = [], flows = [];
// first is the lane that a PE is folded into: the first one of those picked that are like it.
const size = pe => first.filter(p => p === pe).length;
const shown = pe => first[pe] === pe;
const cut = (flat, wide) => { const l = []; for (let i = 0; i < flat.length; i += wide) l.push(flat.slice(i, i + wide)); return l; };
function take(flats, sent) {
	lanes = flats.map(flat => { let last = D.from; return cut(flat, WIDE).map(e => { last = e[BEGAN] += last; return e; }); });
	flows = sent ? cut(sent, 6) : lanes.flatMap((l, pe) => l.filter(e => moves.includes(D.kinds[e[KIND]]) && e[PEER] >= 0).map(e => {
		const get = D.kinds[e[KIND]] === 'get';
		return [e[BEGAN], e[BEGAN], get ? e[PEER] : pe, get ? pe : e[PEER], D.kinds[e[KIND]] === 'part of a put' ? 0 : 1, e[BYTES]];
	}));
	depths = lanes.map(l => l.reduce((m, e) => Math.max(m, e[DEPTH] + 1), 1));
	layout();
}
function layout() {
	tops = []; height = 22;
	first = D.alike.map((a, pe) => !picked[pe] ? -1 : folded ? D.alike.findIndex((b, q) => picked[q] && b === a) : pe);
	left = D.names.reduce((w, name, pe) => shown(pe) ? Math.max(w, 12 + 6.4 * (name.length + (size(pe) > 1 ? 4 : 0))) : w, narrow);
	depths.forEach((d, pe) => {
		if (!shown(pe)) { tops.push(first[pe] < 0 ? -100 : tops[first[pe]]); return; }
		tops.push(height); height += d * row + gap;
	});
}
const moves = ['put', 'get', 'part of a put'];
take(D.lanes, D.flows);
let from = D.from, to = D.to, chosen = null, hit = null, width = 800, planned = false;

const time = ns => { const a = Math.abs(ns); return a >= 1e9 ? (ns / 1e9).toFixed(3) + ' s' : a >= 1e6 ? (ns / 1e6).toFixed(3) + ' ms' : a >= 1e3 ? (ns / 1e3).toFixed(2) + ' us' : ns + ' ns'; };
const named = e => e[KIND] === 0 ? D.regions[e[ID]].name : D.kinds[e[KIND]] + ': ' + (e[ID] < 0 ? 'other' : D.sites[e[ID]].name);
const lines = e => e[KIND] === 0 ? D.regions[e[ID]].lines : e[ID] < 0 ? '-' : D.sites[e[ID]].lines;
const colour = e => e[KIND] === 0 ? `hsl(${200 + e[ID] * 23 % 66} ${30 + e[ID] * 11 % 20}% ${56 + e[DEPTH] % 3 * 5}%)` : D.colours[e[KIND]];
const x = t => left + (t - from) / (to - from) * (width - left);
const at = px => from + (px - left) / (width - left) * (to - from);
const later = () => { if (!planned) { planned = true; requestAnimationFrame(draw); } };

function draw() {
	planned = false;
	const scale = devicePixelRatio || 1, css = getComputedStyle(document.documentElement);
	width = box.clientWidth; canvas.width = width * scale; canvas.height = height * scale; canvas.style.height = height + 'px';
	const c = canvas.getContext('2d'), text = css.getPropertyValue('--text'), dim = css.getPropertyValue('--dim'), line = css.getPropertyValue('--line');
	c.scale(scale, scale); c.font = '11px system-ui, sans-serif'; c.textBaseline = 'middle';
	const step = 10 ** Math.floor(Math.log10((to - from) / 4 || 1));
	c.fillStyle = dim; c.strokeStyle = line;
	for (let t = Math.ceil(from / step) * step, n = 0; t <= to && n < 60; t += step, n++) {
		c.beginPath(); c.moveTo(x(t), 14); c.lineTo(x(t), height); c.stroke();
		if ((to - from) / step < 12 || Math.round(t / step) % 5 === 0) c.fillText(time(Math.round(t)), x(t) + 2, 8);
	}
	lanes.forEach((l, pe) => {
		if (!shown(pe)) return;
		c.fillStyle = text; c.fillText(D.names[pe] + (size(pe) > 1 ? ` \u00d7 ${size(pe)}` : ''), 4, tops[pe] + row / 2);
		const drawn = [];
		for (const e of l) {
			const end = e[BEGAN] + e[TOOK];
			if (end < from || e[BEGAN] > to) continue;
			const a = Math.max(left, x(e[BEGAN])), b = Math.max(a + 1, Math.min(width, x(end))), y = tops[pe] + e[DEPTH] * row;
			if (drawn[e[DEPTH]] >= b && !(hit && hit(e))) continue; // nothing of it would be seen
			drawn[e[DEPTH]] = b;
			c.globalAlpha = hit && !hit(e) ? .25 : 1;
			c.fillStyle = colour(e);
			if (D.kinds[e[KIND]] === 'elided barrier') { c.beginPath(); c.moveTo(a, y); c.lineTo(a + 4, y + row / 2 - .5); c.lineTo(a, y + row - 1); c.lineTo(a - 4, y + row / 2 - .5); c.fill(); continue; }
			c.fillRect(a, y, b - a, row - 1);
			if (b - a > 46) { c.save(); c.beginPath(); c.rect(a, y, b - a - 2, row); c.clip(); c.fillStyle = '#101418'; c.fillText(named(e), a + 3, y + row / 2); c.restore(); }
		}
		c.globalAlpha = 1;
	});
	c.save(); c.beginPath(); c.rect(left, 0, width, height); c.clip();
	let n = 0; const messages = new Path2D();
	lanes.forEach((l, pe) => { if (shown(pe)) for (const e of l) {
		if (e[PPE] < 0 || first[e[PPE]] < 0 || !D.ends[e[KIND]] || n > 2000) continue; // from the wait, once for each message
		if (tops[e[PPE]] === tops[pe]) continue; // both are folded into this lane
		const s = lanes[e[PPE]][e[PAT]], a = s[BEGAN], b = e[BEGAN] + e[TOOK];
		if (b < from || a > to || Math.abs(x(b) - x(a)) < 1 && (to - from) > (D.to - D.from) / 50) continue;
		n++; messages.moveTo(x(a), tops[e[PPE]] + (s[DEPTH] + .5) * row); messages.lineTo(x(b), tops[pe] + (e[DEPTH] + .5) * row);
	} });
	c.strokeStyle = text; c.globalAlpha = Math.max(.15, Math.min(.5, 80 / n)); c.stroke(messages); c.globalAlpha = 1;
	if (critical) {
		const jumps = new Path2D(), along = new Path2D();
		steps.forEach(([pe, a, b], i) => {
			if (b < from || a > to || first[pe] < 0) return;
			const y = tops[pe] - 2.5;
			if (i && first[steps[i - 1][0]] >= 0) { jumps.moveTo(x(a), tops[steps[i - 1][0]] - 2.5); jumps.lineTo(x(a), y); }
			along.moveTo(x(a), y); along.lineTo(x(b), y);
		});
		c.strokeStyle = css.getPropertyValue('--path'); c.globalAlpha = .5; c.stroke(jumps);
		c.globalAlpha = 1; c.lineWidth = 3; c.stroke(along); c.lineWidth = 1;
	}
	c.restore();
	if (chosen) { const e = lanes[chosen[0]][chosen[1]]; c.strokeStyle = text; c.lineWidth = 2; c.strokeRect(Math.max(left, x(e[BEGAN])) - 1, tops[chosen[0]] + e[DEPTH] * row - 1, Math.max(3, Math.min(width, x(e[BEGAN] + e[TOOK])) - Math.max(left, x(e[BEGAN]))) + 2, row + 1); }
}

// said is an event in words.
function said(pe, i) {
	const e = lanes[pe][i];
	let t = `${D.names[pe]}${size(pe) > 1 ? ` and ${size(pe) - 1} like it` : ''}: ${named(e)}\nline ${lines(e)}, from ${time(e[BEGAN])} for ${time(e[TOOK])}, number ${e[NUMBER]}`;
	if (e[PEER] >= 0) t += `, with ${D.names[e[PEER]]}` + (e[BYTES] > 0 ? `, ${e[BYTES]} bytes` : '');
	if (D.kinds[e[KIND]] === 'put' && e[ID] >= 0 && D.sites[e[ID]].elided) t += D.sites[e[ID]].ready ? '; some puts of this line need no ready message' : '; no ready message is needed';
	if (e[PPE] >= 0) { const p = lanes[e[PPE]][e[PAT]]; t += `\nits other end, by Enter: ${named(p)}, from ${time(p[BEGAN])} for ${time(p[TOOK])}`; }
	return t;
}
function choose(pe, i, show) {
	if (first[pe] < 0) pickPEs('');
	if (!shown(pe)) fold(false);
	chosen = [pe, i];
	const e = lanes[pe][i];
	out.textContent = said(pe, i); out.dataset.pe = pe; out.dataset.event = i;
	if (show && (e[BEGAN] + e[TOOK] < from || e[BEGAN] > to)) { const w = to - from; move(e[BEGAN] + e[TOOK] / 2 - w / 2, e[BEGAN] + e[TOOK] / 2 + w / 2); }
	later();
}

// Of a server the events of the time in view are fetched, when it has not changed for a moment.
let asked = 0, waiting = 0;
function ask() {
	clearTimeout(waiting);
	const n = ++asked;
	waiting = setTimeout(() => fetch(`${D.view}?from=${Math.round(from)}&to=${Math.round(to)}`).then(r => r.json()).then(v => {
		if (n !== asked) return;
		const e = chosen && lanes[chosen[0]][chosen[1]], pe = chosen && chosen[0];
		take(v.lanes, v.flows); D.partly = v.partly; chosen = null;
		if (e) { const i = lanes[pe].findIndex(f => f[KIND] === e[KIND] && f[ID] === e[ID] && f[BEGAN] === e[BEGAN]); if (i >= 0) chosen = [pe, i]; }
		document.getElementById('note').textContent = v.note; look(); communicate();
	}).catch(() => { document.getElementById('note').textContent = 'spmdc trace serve does not run any more'; }), 100);
}

function move(a, b) {
	const was = from + ' ' + to;
	const w = Math.min(Math.max(b - a, 50), D.to - D.from);
	a = Math.min(Math.max(a, D.from), D.to - w);
	from = a; to = a + w; box.dataset.from = Math.round(from); box.dataset.to = Math.round(to); later();
	if (was === from + ' ' + to) return;
	if (D.view) ask();
	clearTimeout(counting); counting = setTimeout(communicate, 120);
}
const zoom = (f, t) => { const e = chosen && lanes[chosen[0]][chosen[1]]; if (t === undefined) t = e && e[BEGAN] <= to && e[BEGAN] + e[TOOK] >= from ? Math.min(to, Math.max(from, e[BEGAN] + e[TOOK] / 2)) : (from + to) / 2; move(t - (t - from) * f, t + (to - t) * f); };
const pan = f => move(from + (to - from) * f, to + (to - from) * f);

function pick(px, py) {
	const t = at(px), slack = (to - from) / (width - left) * 2;
	for (let pe = 0; pe < lanes.length; pe++) {
		const d = Math.floor((py - tops[pe]) / row);
		if (!shown(pe) || d < 0 || d >= depths[pe]) continue;
		let best = -1;
		lanes[pe].forEach((e, i) => { if (e[DEPTH] === d && e[BEGAN] - slack <= t && t <= e[BEGAN] + e[TOOK] + slack) best = i; });
		return best < 0 ? null : [pe, best];
	}
	return null;
}

function look() {
	const word = search.value.trim().toLowerCase();
	hit = word ? e => named(e).toLowerCase().includes(word) || ('line ' + lines(e)).includes(word) : null;
	let n = 0; if (hit) for (const l of lanes) for (const e of l) n += hit(e);
	found.textContent = hit ? n + ' events' : ''; later();
}
function next(back) {
	if (!hit) return;
	const all = []; lanes.forEach((l, pe) => l.forEach((e, i) => { if (hit(e)) all.push([pe, i]); }));
	if (!all.length) return;
	let k = chosen ? all.findIndex(p => p[0] === chosen[0] && p[1] === chosen[1]) : -1;
	k = (k + (back ? -1 : 1) + all.length) % all.length; choose(...all[k], true);
}

const whole = () => { if (number) { number.value = ''; phase.textContent = `of ${last + 1}`; } move(D.from, D.to); };

// iteration shows an iteration, the nearest one that there is.
const number = document.getElementById('iteration'), phase = document.getElementById('phase'), phases = cut(D.phases, 4);
const last = (D.iterations || 1) - 1;
async function iteration(n) {
	n = Math.min(Math.max(n, 0), last);
	let p;
	if (D.view) p = await fetch(`iteration?number=${n}`).then(r => r.json());
	else p = phases.reduce((a, b) => Math.abs(b[0] - n) < Math.abs(a[0] - n) ? b : a);
	number.value = p[0] + 1;
	phase.textContent = `of ${last + 1}, ${D.regions[p[3]].name}, line ${D.regions[p[3]].lines}, ${time(p[2])}`;
	move(p[1], p[1] + p[2]);
}
function phaseBy(by) {
	if (!number) return;
	if (number.value) { iteration(+number.value - 1 + by * D.stride); return; }
	const p = phases.find(p => p[1] + p[2] > from) || phases[phases.length - 1];
	iteration(p[0]);
}

// pickPEs shows PEs: numbers and ranges with commas between, '' all.
const pes = document.getElementById('pes');
function pickPEs(text) {
	const parts = text.split(',').map(p => p.trim()).filter(p => p).map(p => /^(\d+)(?:\s*-\s*(\d+))?$/.exec(p));
	const wrong = parts.includes(null);
	const yes = D.pes.map(n => !parts.length || parts.some(m => m && n >= +m[1] && n <= +(m[2] || m[1])));
	pes.setAttribute('aria-invalid', wrong || !yes.includes(true));
	if (wrong || !yes.includes(true)) return;
	pes.value = text; picked = yes;
	if (chosen && first[chosen[0]] < 0) { chosen = null; out.textContent = 'No event is chosen.'; }
	layout(); later(); communicate();
}

// communicate shows the messages of the time in view: as chords of a circle of PEs, whose outer ring is
// their hosts, and as a table.
let counting = 0;
const mostChords = 200, mostRows = 40;
function communicate() {
	const measure = document.querySelector('input[name=measure]:checked').value === 'bytes' ? 5 : 4;
	const of = D.pes.map((_, pe) => pe).filter(shown), place = new Map(of.map((pe, i) => [pe, i]));
	const sums = of.map(() => of.map(() => 0));
	let all = 0, most = 0;
	for (const f of flows) {
		const a = place.get(first[f[2]]), b = place.get(first[f[3]]);
		if (f[1] < from || f[0] > to || a === undefined || b === undefined) continue;
		sums[a][b] += f[measure]; all += f[measure]; most = Math.max(most, sums[a][b]);
	}
	const unit = measure === 5 ? 'bytes' : 'messages', label = pe => D.names[pe] + (size(pe) > 1 ? ` \u00d7 ${size(pe)}` : '');
	const pieces = flows.length && flows[0][1] > flows[0][0] && !D.view ? `, counted in pieces of ${time(flows[0][1] - flows[0][0])}` : '';
	document.getElementById('flows').textContent = `${unit}: ${all.toLocaleString('en')}, from ${time(Math.round(from))} to ${time(Math.round(to))}${pieces}` +
		(D.partly ? '; only some of the events of this time have been read: zoom in for all' : '');
	const svg = document.getElementById('circle'), matrix = document.getElementById('matrix');
	svg.replaceChildren(); matrix.replaceChildren();
	svg.style.display = of.length > 1 && of.length <= mostChords && all ? '' : 'none';
	const make = (name, attributes, title) => {
		const e = document.createElementNS('http://www.w3.org/2000/svg', name);
		for (const k in attributes) e.setAttribute(k, attributes[k]);
		if (title) { const t = document.createElementNS('http://www.w3.org/2000/svg', 'title'); t.textContent = title; e.append(t); }
		svg.append(e); return e;
	};
	const point = (r, a) => `${(r * Math.sin(a)).toFixed(1)} ${(-r * Math.cos(a)).toFixed(1)}`;
	const turn = 2 * Math.PI / of.length, gap = Math.min(.06, turn / 5), hue = i => `hsl(${Math.round(360 * i / of.length)} 55% 52%)`;
	const arc = (r, a, b, attributes, title) => make('path', { d: `M${point(r, a)}A${r} ${r} 0 ${b - a > Math.PI ? 1 : 0} 1 ${point(r, b)}`, fill: 'none', ...attributes }, title);
	if (svg.style.display === '') {
		// The ends of its chords lie on the arc of a PE in proportion to what it sends and receives.
		const total = of.map((_, i) => sums[i].reduce((s, n) => s + n, 0) + sums.reduce((s, row) => s + row[i], 0));
		const scale = (turn - gap) / Math.max(...total), at = of.map((_, i) => (i + .5) * turn - total[i] * scale / 2);
		sums.forEach((row, i) => row.forEach((n, j) => {
			if (!n) return;
			const a = at[i], b = at[i] += n * scale, c = at[j], d = at[j] += n * scale;
			make('path', { d: `M${point(196, a)}A196 196 0 0 1 ${point(196, b)}Q0 0 ${point(186, c)}A186 186 0 0 1 ${point(186, d)}Q0 0 ${point(196, a)}Z`, fill: hue(i), 'fill-opacity': .5, stroke: hue(i), 'stroke-width': .5 },
				`${label(of[i])} to ${label(of[j])}, ${unit}: ${n.toLocaleString('en')}`);
		}));
		of.forEach((pe, i) => {
			arc(202, i * turn + gap / 2, (i + 1) * turn - gap / 2, { stroke: hue(i), 'stroke-width': 8 }, `${label(pe)} sends ${unit}: ${sums[i].reduce((s, n) => s + n, 0).toLocaleString('en')}`);
			if (of.length > 64) return;
			const a = (i + .5) * turn, t = make('text', { x: (216 * Math.sin(a)).toFixed(1), y: (-216 * Math.cos(a)).toFixed(1), 'text-anchor': Math.abs(Math.sin(a)) < .3 ? 'middle' : Math.sin(a) > 0 ? 'start' : 'end', 'dominant-baseline': 'middle' });
			t.textContent = of.length > 32 ? D.pes[pe] : label(pe);
		});
		for (let i = 0; D.hosts && i < of.length;) {
			let j = i; while (j < of.length && D.hosts[of[j]] === D.hosts[of[i]]) j++;
			if (i > 0 || j < of.length) arc(254, i * turn + gap / 2, j * turn - gap / 2, { class: 'host' }, `the host of ${D.names[D.hosts[of[i]]]}`);
			i = j;
		}
	}
	if (of.length > mostRows) { matrix.textContent = `The table has up to ${mostRows} PEs: fold those that are alike, or choose some.`; return; }
	if (!all) return;
	const table = matrix.appendChild(document.createElement('table')), cell = (row, name, text) => { const c = row.appendChild(document.createElement(name)); c.textContent = text; return c; };
	table.createCaption().textContent = `${unit} from the one of the row to the one of the column`;
	const head = table.createTHead().insertRow(); cell(head, 'td', '');
	of.forEach(pe => cell(head, 'th', label(pe)).scope = 'col');
	const body = table.createTBody();
	of.forEach((pe, i) => {
		const row = body.insertRow(); cell(row, 'th', label(pe)).scope = 'row';
		sums[i].forEach(n => { const c = cell(row, 'td', n ? n.toLocaleString('en') : '\u00b7'); if (n) c.style.background = `color-mix(in srgb, var(--focus) ${Math.round(8 + 42 * n / most)}%, transparent)`; });
	});
}

// fold draws one lane for all PEs that are alike, or one for each.
function fold(yes) {
	folded = yes; layout();
	if (chosen && !shown(chosen[0])) { chosen = null; out.textContent = 'No event is chosen.'; }
	document.getElementById('fold').setAttribute('aria-pressed', folded);
	later(); communicate();
}

// path draws the critical path, or not.
const steps = cut(D.path || [], 3);
let critical = false;
function path() {
	const b = document.getElementById('path');
	if (b) b.setAttribute('aria-pressed', critical = !critical);
	later();
}

const keys = {
	f: () => fold(!folded), c: path, i: () => phaseBy(1), I: () => phaseBy(-1),
	ArrowRight: s => s ? pan(.2) : step(1), ArrowLeft: s => s ? pan(-.2) : step(-1),
	ArrowDown: () => lane(1), ArrowUp: () => lane(-1), Home: () => choose(chosen ? chosen[0] : 0, 0, true),
	End: () => { const pe = chosen ? chosen[0] : 0; choose(pe, lanes[pe].length - 1, true); },
	Enter: () => { if (!chosen) return; const e = lanes[chosen[0]][chosen[1]]; if (e[PPE] >= 0) choose(e[PPE], e[PAT], true); },
	'+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2), 0: () => whole(), n: () => next(false), N: () => next(true),
};
function step(by) { if (!chosen) return lanes[0].length && choose(0, 0, true); const i = chosen[1] + by; if (i >= 0 && i < lanes[chosen[0]].length) choose(chosen[0], i, true); }
function lane(by) {
	if (!chosen) return step(1);
	let pe = chosen[0] + by; while (pe >= 0 && pe < lanes.length && !shown(pe)) pe += by;
	if (pe < 0 || pe >= lanes.length || !lanes[pe].length) return;
	const t = lanes[chosen[0]][chosen[1]][BEGAN]; let i = lanes[pe].findIndex(e => e[BEGAN] > t);
	choose(pe, i < 0 ? lanes[pe].length - 1 : Math.max(0, i - 1), true);
}
box.addEventListener('keydown', ev => { if (ev.ctrlKey || ev.metaKey || ev.altKey || !keys[ev.key]) return; ev.preventDefault(); keys[ev.key](ev.shiftKey); });
let drag = null;
const hint = document.getElementById('hint');
function point(ev) {
	const p = pick(ev.offsetX, ev.offsetY);
	hint.hidden = !p || drag;
	if (hint.hidden) return;
	hint.textContent = said(...p);
	hint.style.left = Math.max(0, Math.min(ev.clientX + 14, innerWidth - hint.offsetWidth - 8)) + 'px'; hint.style.top = (ev.clientY + 18 + hint.offsetHeight > innerHeight ? ev.clientY - hint.offsetHeight - 10 : ev.clientY + 18) + 'px';
}
canvas.addEventListener('pointerdown', ev => { drag = { px: ev.offsetX, from, to, moved: false }; canvas.setPointerCapture(ev.pointerId); });
canvas.addEventListener('pointerleave', () => { hint.hidden = true; });
canvas.addEventListener('pointermove', ev => { if (!drag) { point(ev); return; } hint.hidden = true; const d = (ev.offsetX - drag.px) / (width - left) * (drag.to - drag.from); if (Math.abs(ev.offsetX - drag.px) > 3) drag.moved = true; if (drag.moved) move(drag.from - d, drag.to - d); });
canvas.addEventListener('pointerup', ev => { if (drag && !drag.moved) { const p = pick(ev.offsetX, ev.offsetY); if (p) choose(...p); } drag = null; });
canvas.addEventListener('wheel', ev => { if (!ev.ctrlKey && !ev.shiftKey) return; ev.preventDefault(); zoom((ev.deltaY || ev.deltaX) > 0 ? 1.25 : .8, at(ev.offsetX)); }, { passive: false });
for (const [id, f] of [['in', () => zoom(.5)], ['out', () => zoom(2)], ['all', () => whole()], ['before', () => pan(-.2)], ['behind', () => pan(.2)], ['next', () => next(false)], ['fold', () => fold(!folded)]]) document.getElementById(id).addEventListener('click', f);
search.addEventListener('input', look);
search.addEventListener('keydown', ev => { if (ev.key === 'Enter') { ev.preventDefault(); next(ev.shiftKey); } });
for (const b of document.querySelectorAll('td button')) b.addEventListener('click', () => { search.value = b.textContent; look(); next(false); box.focus(); });
pes.addEventListener('input', () => pickPEs(pes.value));
if (number) { number.max = last + 1; number.step = D.stride; number.addEventListener('change', () => number.value ? iteration(+number.value - 1) : whole()); }
const critically = document.getElementById('path'); if (critically) critically.addEventListener('click', path);
for (const r of document.querySelectorAll('input[name=measure]')) r.addEventListener('change', communicate);
addEventListener('resize', later); matchMedia('(prefers-color-scheme: dark)').addEventListener('change', later);
if (D.alike.some((a, pe) => a !== pe)) fold(lanes.length > many); else document.getElementById('fold').hidden = true;
document.body.dataset.ready = lanes.reduce((n, l) => n + l.length, 0);
whole(); communicate();
})();
