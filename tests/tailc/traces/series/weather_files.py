"""Small weather files in the layouts of TMY3 and NSRDB, with the columns that are read."""

from datetime import date, timedelta

TMY3_NAMES = "Date (MM/DD/YYYY),Time (HH:MM),GHI (W/m^2),DNI (W/m^2),DHI (W/m^2),TotCld (tenths)"
TMY3_SITE = '703165,"SAND POINT",AK,-9.0,55.317,-160.517,7'
NSRDB_NAMES = "Year,Month,Day,Hour,Minute,Clearsky GHI,DHI,DNI,GHI"
NSRDB_SITE = (
    "Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation,Local Time Zone\n"
    "NSRDB,401182,-,-,-,40.53,-108.54,-7,2168,-7"
)


def tmy3(folder, cells, names=TMY3_NAMES, hours=8_760, end="\n"):
    """An hour for each of `cells` from the first of January 1997 on, then hours of nothing."""
    days = [date(1997, 1, 1) + timedelta(days=at // 24) for at in range(hours)]
    padded = [*cells, *["0,0,0,0"] * (hours - len(cells))]
    rows = [
        f"{day:%m/%d/%Y},{at % 24 + 1:02d}:00,{each}"
        for at, (day, each) in enumerate(zip(days, padded, strict=True))
    ]
    path = folder / "tmy3.csv"
    path.write_text("\n".join([TMY3_SITE, names, *rows]) + end)
    return str(path)


def nsrdb_hours(folder, stamps):
    """An hour for each stamp `YEAR,MONTH,DAY,HOUR,MINUTE`, with its place in the file as GHI."""
    rows = [f"{stamp},1000,0,0,{at}" for at, stamp in enumerate(stamps)]
    path = folder / "nsrdb.csv"
    path.write_text("\n".join([NSRDB_SITE, NSRDB_NAMES, *rows]) + "\n")
    return str(path)


def nsrdb(folder, cells, names=NSRDB_NAMES):
    """A half hour for each of `cells`, from the start of 2023 on."""
    rows = [f"2023,1,1,{at // 2},{30 * (at % 2)},{each}" for at, each in enumerate(cells)]
    path = folder / "nsrdb.csv"
    path.write_text("\n".join([NSRDB_SITE, names, *rows]) + "\n")
    return str(path)
