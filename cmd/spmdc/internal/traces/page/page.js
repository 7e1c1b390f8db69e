'use strict';
(() => {
const D = JSON.parse(document.getElementById('data').textContent);
const box = document.getElementById('timeline'), canvas = box.querySelector('canvas'), out = document.getElementById('chosen');
const search = document.getElementById('search'), found = document.getElementById('found');
const KIND = 0, ID = 1, BEGAN = 2, TOOK = 3, DEPTH = 4, PPE = 5, PAT = 6, BYTES = 7, PEER = 8, NUMBER = 9, WIDE = 10;
const row = 13, gap = 10, narrow = 52, wide = 86, many = 16; // more PEs are folded from the beginning
let lanes, depths, tops, height, left = narrow, folded = false;
const size = D.names.map((_, pe) => D.alike.filter(p => p === pe).length);
const shown = pe => !folded || D.alike[pe] === pe;
function take(flats) {
	lanes = flats.map(flat => { const l = []; for (let i = 0; i < flat.length; i += WIDE) l.push(flat.slice(i, i + WIDE)); return l; });
	depths = lanes.map(l => l.reduce((m, e) => Math.max(m, e[DEPTH] + 1), 1));
	layout();
}
function layout() {
	tops = []; height = 22; left = folded ? wide : narrow;
	depths.forEach((d, pe) => {
		if (!shown(pe)) { tops.push(tops[D.alike[pe]]); return; }
		tops.push(height); height += d * row + gap;
	});
}
take(D.lanes);
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
		c.fillStyle = text; c.fillText(D.names[pe] + (folded && size[pe] > 1 ? ` \u00d7 ${size[pe]}` : ''), 4, tops[pe] + row / 2);
		const drawn = [];
		for (const e of l) {
			const end = e[BEGAN] + e[TOOK];
			if (end < from || e[BEGAN] > to) continue;
			const a = Math.max(left, x(e[BEGAN])), b = Math.max(a + 1, Math.min(width, x(end))), y = tops[pe] + e[DEPTH] * row;
			if (drawn[e[DEPTH]] >= b && !(hit && hit(e))) continue; // nothing of it would be seen
			drawn[e[DEPTH]] = b;
			c.globalAlpha = hit && !hit(e) ? .25 : 1;
			c.fillStyle = colour(e); c.fillRect(a, y, b - a, row - 1);
			if (b - a > 46) { c.save(); c.beginPath(); c.rect(a, y, b - a - 2, row); c.clip(); c.fillStyle = '#101418'; c.fillText(named(e), a + 3, y + row / 2); c.restore(); }
		}
		c.globalAlpha = 1;
	});
	c.strokeStyle = text; c.globalAlpha = .45; let n = 0;
	lanes.forEach((l, pe) => { if (shown(pe)) for (const e of l) {
		if (e[PPE] < 0 || !D.ends[e[KIND]] || n > 2000) continue; // from the wait, once for each message
		if (tops[e[PPE]] === tops[pe]) continue; // both are folded into this lane
		const s = lanes[e[PPE]][e[PAT]], a = s[BEGAN], b = e[BEGAN] + e[TOOK];
		if (b < from || a > to || Math.abs(x(b) - x(a)) < 1 && (to - from) > (D.to - D.from) / 50) continue;
		n++; c.beginPath(); c.moveTo(x(a), tops[e[PPE]] + (s[DEPTH] + .5) * row); c.lineTo(x(b), tops[pe] + (e[DEPTH] + .5) * row); c.stroke();
	} });
	c.globalAlpha = 1;
	if (chosen) { const e = lanes[chosen[0]][chosen[1]]; c.strokeStyle = text; c.lineWidth = 2; c.strokeRect(Math.max(left, x(e[BEGAN])) - 1, tops[chosen[0]] + e[DEPTH] * row - 1, Math.max(3, Math.min(width, x(e[BEGAN] + e[TOOK])) - Math.max(left, x(e[BEGAN]))) + 2, row + 1); }
}

function choose(pe, i, show) {
	if (!shown(pe)) fold(false);
	chosen = [pe, i];
	const e = lanes[pe][i];
	let t = `${D.names[pe]}${folded && size[pe] > 1 ? ` and ${size[pe] - 1} like it` : ''}: ${named(e)}\nline ${lines(e)}, from ${time(e[BEGAN])} for ${time(e[TOOK])}, number ${e[NUMBER]}`;
	if (e[PEER] >= 0) t += `, with ${D.names[e[PEER]]}` + (e[BYTES] > 0 ? `, ${e[BYTES]} bytes` : '');
	if (e[PPE] >= 0) { const p = lanes[e[PPE]][e[PAT]]; t += `\nits other end, by Enter: ${named(p)}, from ${time(p[BEGAN])} for ${time(p[TOOK])}`; }
	out.textContent = t; out.dataset.pe = pe; out.dataset.event = i;
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
		take(v.lanes); chosen = null;
		if (e) { const i = lanes[pe].findIndex(f => f[KIND] === e[KIND] && f[ID] === e[ID] && f[BEGAN] === e[BEGAN]); if (i >= 0) chosen = [pe, i]; }
		document.getElementById('note').textContent = v.note; look();
	}).catch(() => { document.getElementById('note').textContent = 'spmdc trace serve does not run any more'; }), 100);
}

function move(a, b) {
	const was = from + ' ' + to;
	const w = Math.min(Math.max(b - a, 50), D.to - D.from);
	a = Math.min(Math.max(a, D.from), D.to - w);
	from = a; to = a + w; box.dataset.from = Math.round(from); box.dataset.to = Math.round(to); later();
	if (D.view && was !== from + ' ' + to) ask();
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

// fold draws one lane for all PEs that are alike, or one for each.
function fold(yes) {
	folded = yes;
	if (chosen && !shown(chosen[0])) { chosen = null; out.textContent = 'No event is chosen.'; }
	document.getElementById('fold').setAttribute('aria-pressed', folded);
	layout(); later();
}

const keys = {
	f: () => fold(!folded),
	ArrowRight: s => s ? pan(.2) : step(1), ArrowLeft: s => s ? pan(-.2) : step(-1),
	ArrowDown: () => lane(1), ArrowUp: () => lane(-1), Home: () => choose(chosen ? chosen[0] : 0, 0, true),
	End: () => { const pe = chosen ? chosen[0] : 0; choose(pe, lanes[pe].length - 1, true); },
	Enter: () => { if (!chosen) return; const e = lanes[chosen[0]][chosen[1]]; if (e[PPE] >= 0) choose(e[PPE], e[PAT], true); },
	'+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2), 0: () => move(D.from, D.to), n: () => next(false), N: () => next(true),
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
canvas.addEventListener('pointerdown', ev => { drag = { px: ev.offsetX, from, to, moved: false }; canvas.setPointerCapture(ev.pointerId); });
canvas.addEventListener('pointermove', ev => { if (!drag) return; const d = (ev.offsetX - drag.px) / (width - left) * (drag.to - drag.from); if (Math.abs(ev.offsetX - drag.px) > 3) drag.moved = true; if (drag.moved) move(drag.from - d, drag.to - d); });
canvas.addEventListener('pointerup', ev => { if (drag && !drag.moved) { const p = pick(ev.offsetX, ev.offsetY); if (p) choose(...p); } drag = null; });
canvas.addEventListener('wheel', ev => { if (!ev.ctrlKey && !ev.shiftKey) return; ev.preventDefault(); zoom((ev.deltaY || ev.deltaX) > 0 ? 1.25 : .8, at(ev.offsetX)); }, { passive: false });
for (const [id, f] of [['in', () => zoom(.5)], ['out', () => zoom(2)], ['all', () => move(D.from, D.to)], ['before', () => pan(-.2)], ['behind', () => pan(.2)], ['next', () => next(false)], ['fold', () => fold(!folded)]]) document.getElementById(id).addEventListener('click', f);
search.addEventListener('input', look);
search.addEventListener('keydown', ev => { if (ev.key === 'Enter') { ev.preventDefault(); next(ev.shiftKey); } });
for (const b of document.querySelectorAll('td button')) b.addEventListener('click', () => { search.value = b.textContent; look(); next(false); box.focus(); });
addEventListener('resize', later); matchMedia('(prefers-color-scheme: dark)').addEventListener('change', later);
if (size.some(n => n > 1)) fold(lanes.length > many); else document.getElementById('fold').hidden = true;
document.body.dataset.ready = lanes.reduce((n, l) => n + l.length, 0);
move(D.from, D.to);
})();
